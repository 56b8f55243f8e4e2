# A driver of two releases is told by the numbers that the framework prints, whatever they are; one of one release is not.
$ printf 'libcuda reported version is: 535.129.3\nkernel reported version is: 525.60.13\n' | tenon explain --no-join -
exit 1
first Driver module and driver library differ
out driver.module = 525.60.13

$ printf 'libcuda reported version is: 535.129.3\nkernel reported version is: 535.129.3\n' | tenon explain --no-join -
exit 0
not driver-library-mismatch

# In a container a newer library beside the module may be a compat package, meant so.
$ printf 'docker run --gpus all\nlibcuda reported version is: 550.54.15\nkernel reported version is: 525.60.13\n' | tenon explain --no-join -
exit 1
first likely
