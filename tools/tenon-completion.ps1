# tenon-completion.ps1 - completion of tenon's commands, options and causes in PowerShell 5 and 7.
# Once: . .\tenon-completion.ps1      For always: add that line, with the full path, to the file that $PROFILE names.
Register-ArgumentCompleter -Native -CommandName @('tenon', 'tenon.exe') -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | ForEach-Object { $_.ToString() })
    $program = $words[0]
    $named = $words.Count -gt 2 -or ($words.Count -eq 2 -and $wordToComplete -eq '')
    if ($wordToComplete.StartsWith('-')) {
        $command = if ($words.Count -gt 1 -and -not $words[1].StartsWith('-')) { $words[1] } else { 'doctor' }
        $known = & $program $command --help --lang en | Select-String -Pattern '--[a-z][a-z-]*' -AllMatches |
            ForEach-Object { $_.Matches } | ForEach-Object { $_.Value } | Sort-Object -Unique
    } elseif (-not $named) {
        $known = & $program --help --lang en | Select-String -Pattern '^  ([a-z]+) ' | ForEach-Object { $_.Matches[0].Groups[1].Value }
    } else {
        return
    }
    $known | Where-Object { $_ -like "$wordToComplete*" } | ForEach-Object {
        [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
    }
}
