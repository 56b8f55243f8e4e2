# windows-check.ps1 - five minutes on a real Windows: what the tests under wine cannot show (doc/windows.md).
# Run it in PowerShell beside tenon.exe; it needs no administrator, changes nothing and writes one folder,
# tenon-check, beside itself. machine.record.json there is PRIVATE: it holds paths and names of this machine as they are.
#
#   powershell -ExecutionPolicy Bypass -File windows-check.ps1
#
# Whoever gets the folder replays it: tenon doctor --from tenon-check/machine.record.json --json, and compares with
# doctor.json.
$ErrorActionPreference = 'Continue'
$here = Split-Path -Parent $MyInvocation.MyCommand.Path
$tenon = Join-Path $here 'tenon.exe'
$to = Join-Path $here 'tenon-check'
New-Item -ItemType Directory -Force -Path $to | Out-Null
[Console]::OutputEncoding = New-Object System.Text.UTF8Encoding $false

function Write-Text($name, $lines) {
    $text = (@($lines) -join "`r`n") + "`r`n"
    [IO.File]::WriteAllText((Join-Path $to $name), $text, (New-Object System.Text.UTF8Encoding $false))
}

# 1. What tenon says, and what it saw.
$watch = [Diagnostics.Stopwatch]::StartNew()
Write-Text 'doctor.json' (& $tenon doctor --json)
$status = $LASTEXITCODE
$took = $watch.ElapsedMilliseconds
Write-Text 'doctor.txt' (& $tenon doctor --lang en)
Write-Text 'doctor.zh.txt' (& $tenon doctor --lang zh)
Write-Text 'versions.json' (& $tenon versions --json)
Write-Text 'envs.json' (& $tenon envs --json)
Write-Text 'why.json' (& $tenon why --json)
& $tenon snapshot --raw -o (Join-Path $to 'machine.record.json')
Write-Text 'replayed.json' (& $tenon doctor --from (Join-Path $to 'machine.record.json') --json)

# 2. The same from Windows itself, to compare with.
Write-Text 'devices.txt' (pnputil /enum-devices /class Display 2>&1)
Write-Text 'adapters.txt' (Get-CimInstance Win32_VideoController |
    Select-Object -Property @('Name', 'PNPDeviceID', 'DriverVersion', 'ConfigManagerErrorCode', 'AdapterRAM') | Format-List | Out-String)
$smi = Get-Command nvidia-smi -ErrorAction SilentlyContinue
if ($smi) { Write-Text 'nvidia-smi.txt' (& $smi.Source 2>&1) }
Write-Text 'wsl.txt' (wsl.exe --list --verbose 2>&1)

# 3. The program as Windows sees it.
$file = Get-Item $tenon
$lines = @(
    "windows      $([Environment]::OSVersion.VersionString)"
    "powershell   $($PSVersionTable.PSVersion)"
    "culture      $((Get-Culture).Name), console code page $([Console]::OutputEncoding.CodePage), $(chcp.com)"
    "long paths   $((Get-ItemProperty 'HKLM:\SYSTEM\CurrentControlSet\Control\FileSystem').LongPathsEnabled)"
    "tenon        $($file.VersionInfo.FileVersion), $($file.Length) bytes, sha256 $((Get-FileHash $tenon).Hash)"
    "doctor       status $status, $took ms"
)
# A path of more than 260 characters, a name that Windows keeps for itself.
$deep = Join-Path $env:TEMP ('tenon-' + ('x' * 200))
$long = '\\?\' + $deep + '\' + ('y' * 200)
try {
    [IO.Directory]::CreateDirectory($long) | Out-Null
    & $tenon doctor --env $long --json | Out-Null
    $lines += "long path    status $LASTEXITCODE"
    [IO.Directory]::Delete($long)
    [IO.Directory]::Delete($deep)
} catch { $lines += "long path    $($_.Exception.Message)" }
& $tenon doctor --from NUL --json 2>&1 | Out-Null
$lines += "NUL          status $LASTEXITCODE (2 or 3 is right)"
Write-Text 'program.txt' $lines

Write-Host "Written: $to"
Write-Host 'Please look by eye, and say what you saw:'
Write-Host '  a. A double click on tenon.exe in Explorer: the window stays until Enter is pressed.'
Write-Host '  b. cmd.exe after "chcp 936": tenon --lang zh shows Chinese; tenon --lang zh | more does, too.'
Write-Host '  c. Ctrl+C during "tenon find cudart64_110.dll": the prompt comes back at once.'
Write-Host '  d. What SmartScreen or the virus scanner said of tenon.exe, word for word.'
