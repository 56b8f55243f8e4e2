# >>> conda initialize >>>
# <<< conda initialize <<<
