# Proves what pfh does with disks on this Windows: on a virtual disk of 64 MiB that is made for it, and on a shadow copy of the system
# volume. No other disk is written to. Run it as an administrator; it prints a report, and ends with the number of failures.
#
#   powershell -ExecutionPolicy Bypass -File prove.ps1 -Pfh C:\tools\pfh.exe
param([string]$Pfh = "pfh.exe", [string]$Room = "$env:TEMP\pfh-prove")
$failures = 0
$lines = New-Object System.Collections.ArrayList

function Report([string]$name, [bool]$good, [string]$detail = "") {
    $word = if ($good) { "ok    " } else { $script:failures++; "FAILED" }
    $line = "$word  $name  $detail"
    [void]$lines.Add($line)
    Write-Output $line
}

function Pfh {
    $script:said = & $Pfh @args 2>&1 | Out-String
    $script:code = $LASTEXITCODE
}

function Diskpart([string[]]$commands) {
    $script = "$Room\diskpart.txt"
    Set-Content -Path $script -Value $commands -Encoding ASCII
    diskpart /s $script | Out-String
}

$me = [Security.Principal.WindowsPrincipal][Security.Principal.WindowsIdentity]::GetCurrent()
if (-not $me.IsInRole([Security.Principal.WindowsBuiltInRole]::Administrator)) {
    Write-Output "run this as an administrator"
    exit 2
}
if (Test-Path $Room) {
    Write-Output "$Room is there already: remove it, or name another one with -Room"
    exit 2
}
New-Item -ItemType Directory -Path $Room | Out-Null
$vhd = "$Room\disk.vhd"
$os = Get-CimInstance Win32_OperatingSystem
Pfh --version
Write-Output "$($os.Caption) $($os.Version), $env:PROCESSOR_ARCHITECTURE, $($said.Split("`n")[0].Trim())"

try {
    # A disk of known bytes.
    Diskpart @("create vdisk file=`"$vhd`" maximum=64 type=fixed", "select vdisk file=`"$vhd`"", "attach vdisk", "create partition primary",
        "format fs=ntfs quick label=PFHPROVE", "assign") | Out-Null
    Start-Sleep -Seconds 3
    $volume = Get-CimInstance Win32_Volume | Where-Object { $_.Label -eq "PFHPROVE" } | Select-Object -First 1
    $letter = $volume.DriveLetter
    $number = (Get-Partition -DriveLetter $letter.Substring(0, 1)).DiskNumber
    $size = (Get-Disk -Number $number).Size
    $disk = "\\.\PhysicalDrive$number"
    Report "a virtual disk is attached" ($null -ne $letter) "$disk, $letter, $size bytes"
    # Without these nothing below would be about the virtual disk.
    if ($null -eq $letter -or (Get-Disk -Number $number).Location -ne $vhd -and $size -gt 128MB) { throw "the virtual disk was not found" }
    $bytes = New-Object byte[] (1MB + 123)
    (New-Object Random 7).NextBytes($bytes)
    [IO.File]::WriteAllBytes("$letter\known.bin", $bytes)
    $known = (Get-FileHash "$letter\known.bin" -Algorithm SHA256).Hash.ToLower()
    Write-VolumeCache $letter.Substring(0, 1)

    Pfh disks --json
    $row = $said -split "`n" | Where-Object { $_ -match "PhysicalDrive$number`"" } | Select-Object -First 1
    Report "pfh disks lists it" ($null -ne $row -and $row -match "`"size`":$size[,}]") $row
    Report "pfh disks lists its volume" ($row -match "`"label`":`"PFHPROVE`"" -or $said -match [regex]::Escape($letter)) ""

    Pfh acquire "\\.\$letter" --to "$Room\v.dd" --no-progress
    $partition = (Get-Partition -DriveLetter $letter.Substring(0, 1)).Size
    Report "the volume is acquired up to its last sector" ($code -eq 0 -and (Get-Item "$Room\v.dd").Length -eq $partition) "exit $code $said"

    # Guards: an output on the source, and a volume that is in use.
    Pfh acquire $disk --to "$letter\own.dd" --no-progress
    Report "an output on the source is refused" ($code -ne 0 -and -not (Test-Path "$letter\own.dd")) "exit $code $said"
    $image = New-Object byte[] $size
    (New-Object Random 8).NextBytes($image)
    # No table of partitions, so that Windows mounts nothing of it and writes nothing to it.
    $image[510] = 0
    [IO.File]::WriteAllBytes("$Room\c.dd", $image)
    $open = [IO.File]::Open("$letter\known.bin", "Open", "Read", "Read")
    Pfh acquire "$Room\c.dd" --to $disk --log "$Room\w0.log" --map "$Room\w0.map" --no-progress
    Report "a disk with an open file is not written" ($code -ne 0 -and $said -match [regex]::Escape($letter)) "exit $code $said"
    $open.Close()

    # Offline, so that the file system writes nothing: acquired in two formats, and hashed.
    Set-Disk -Number $number -IsOffline $true
    Pfh acquire $disk --to "$Room\a.dd" --no-progress
    Report "the disk is acquired to a raw image" ($code -eq 0 -and (Get-Item "$Room\a.dd").Length -eq $size) "exit $code $said"
    Pfh acquire $disk --to "$Room\b.E01" --no-progress
    Report "the disk is acquired to an E01 image" ($code -eq 0) "exit $code"
    Pfh verify "$Room\b.E01"
    Report "the E01 image is verified" ($code -eq 0) "exit $code"
    $raw = (Get-FileHash "$Room\a.dd" -Algorithm SHA256).Hash.ToLower()
    Pfh hash -a sha256 $disk
    Report "the hash of the disk is that of its image" ($code -eq 0 -and $said.ToLower().Contains($raw)) "exit $code"
    Pfh hash -a sha256 --inside "$Room\a.dd"
    Report "the known file is in the image" ($said.ToLower().Contains($known)) "exit $code"
    Set-Disk -Number $number -IsOffline $false
    Set-Disk -Number $number -IsReadOnly $false

    # Written, and read back.
    $written = (Get-FileHash "$Room\c.dd" -Algorithm SHA256).Hash.ToLower()
    Pfh acquire "$Room\c.dd" --to $disk --log "$Room\w.log" --map "$Room\w.map" --no-progress
    Report "the disk is written" ($code -eq 0) "exit $code $said"
    Pfh hash -a sha256 $disk
    Report "the disk holds what was written" ($said.ToLower().Contains($written)) "exit $code"

    # A write block of Windows itself.
    Set-Disk -Number $number -IsReadOnly $true
    Pfh disks --json
    $row = $said -split "`n" | Where-Object { $_ -match "PhysicalDrive$number`"" } | Select-Object -First 1
    Report "a write block is seen" ($row -match "`"write_blocked`":true") ""
    Set-Disk -Number $number -IsReadOnly $false

    # A shadow copy of the system volume: listed, its directory walked, its first MiB acquired as a volume.
    $made = Invoke-CimMethod -ClassName Win32_ShadowCopy -MethodName Create -Arguments @{ Volume = "$env:SystemDrive\"; Context = "ClientAccessible" }
    $copy = Get-CimInstance Win32_ShadowCopy | Where-Object { $_.ID -eq $made.ShadowID }
    if ($null -eq $copy) {
        Report "a shadow copy is made" $false "error $($made.ReturnValue)"
    } else {
        $device = $copy.DeviceObject
        Pfh disks --json --no-read
        Report "pfh disks lists the shadow copy" ($said.Contains($device.Replace("\", "\\")) -or $said.Contains($device)) $device
        Pfh hash -a sha256 "$device\Windows\System32\drivers\etc\hosts"
        $hosts = (Get-FileHash "$env:SystemRoot\System32\drivers\etc\hosts" -Algorithm SHA256).Hash.ToLower()
        Report "a file in it is hashed" ($said.ToLower().Contains($hosts)) "exit $code $said"
        Pfh acquire $device --length 1M --to "$Room\s.dd" --no-progress
        Report "its volume is acquired" ($code -eq 0 -and (Get-Item "$Room\s.dd").Length -eq 1MB) "exit $code $said"
        $copy | Remove-CimInstance
    }
} catch {
    Report "the script ended early" $false "$_"
} finally {
    Diskpart @("select vdisk file=`"$vhd`"", "detach vdisk") | Out-Null
    Set-Content -Path "$Room\report.txt" -Value $lines
    Remove-Item $vhd -ErrorAction SilentlyContinue
    Write-Output "$failures failures; report and images: $Room"
}
exit $failures
