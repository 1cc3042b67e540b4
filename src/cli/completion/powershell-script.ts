import { argumentsOfFlags, type Completed, type CompletedCommand, flagsWithValue } from "./words.ts";

/** The script for PowerShell 5.1 and later. Files are completed if it offers nothing. */
export function powershellScript(commands: readonly CompletedCommand[]): string {
  const after = [...argumentsOfFlags(commands)].map(
    ([flag, argument]) => `  ${quote(flag)} = ${listOf(argument)}`,
  );
  const options = commands.map(
    ({ name, options }) =>
      `  ${quote(name)} = @(${options.flatMap(({ flags }) => flags.map(quote)).join(", ")})`,
  );
  const words = commands.flatMap(({ name, words }) =>
    words.kind === "values" ? [`  ${quote(name)} = ${listOf(words)}`] : [],
  );
  return `# PowerShell completion for rec-push; in $PROFILE: rec-push completion powershell | Out-String | Invoke-Expression
$RecPushAfter = @{}
@(
${flagsWithValue(commands)
  .map((flag) => `  ${quote(flag)}`)
  .join("\n")}
) | ForEach-Object { $RecPushAfter[$_] = @() }
$RecPushValues = New-Object System.Collections.Hashtable
${after.map((line) => `$RecPushValues[${line.trim().replace(" = ", "] = ")}`).join("\n")}
$RecPushOptions = @{
${options.join("\n")}
}
$RecPushWords = @{
${words.join("\n")}
}
Register-ArgumentCompleter -Native -CommandName rec-push -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $typed = @($commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.Extent.Text })
  if ($wordToComplete -ne '' -and $typed.Count -gt 0) { $typed = @($typed | Select-Object -SkipLast 1) }
  $command = ''
  $skip = $false
  foreach ($word in $typed) {
    if ($skip) { $skip = $false; continue }
    if ($RecPushOptions.ContainsKey($word)) { $command = $word; break }
    if ($RecPushAfter.ContainsKey($word)) { $skip = $true; continue }
    if (-not $word.StartsWith('-')) { $command = 'push'; break }
  }
  $found = @()
  $last = if ($typed.Count -gt 0) { $typed[-1] } else { '' }
  if ($RecPushValues.ContainsKey($last)) {
    $found = $RecPushValues[$last]
    if ($found -is [scriptblock]) { $found = & $found }
  } elseif ($wordToComplete.StartsWith('-')) {
    $found = $RecPushOptions[$(if ($command -eq '') { 'push' } else { $command })]
  } elseif ($command -eq '') {
    $found = $RecPushOptions.Keys | Sort-Object
  } elseif ($RecPushWords.ContainsKey($command)) {
    $found = $RecPushWords[$command]
  }
  @($found) | Where-Object { $_ -and $_.StartsWith($wordToComplete) } | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}
`;
}

function listOf(completed: Completed): string {
  switch (completed.kind) {
    case "tables":
    case "profiles":
      return `{ rec-push completion ${completed.kind} 2>$null }`;
    case "values":
      return `@(${completed.values.map(quote).join(", ")})`;
    case "file":
    case "directory":
    case "nothing":
    case "text":
      return "@()";
  }
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
