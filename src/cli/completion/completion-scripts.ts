/** What a shell needs to ask us; the answers come from the command table at run time, so a script never grows old. */
export const COMPLETION_SCRIPTS: Readonly<Record<string, string>> = {
  bash: `# Completion of plinth for bash: source <(plinth completion bash)
_plinth() {
  local line word
  COMPREPLY=()
  while IFS=$'\\t' read -r word line; do
    case $word in
      :files) compopt -o default; COMPREPLY=(); return ;;
      :folders) compopt -o dirnames; COMPREPLY=(); return ;;
      ?*) COMPREPLY+=("$word") ;;
    esac
  done < <("\${COMP_WORDS[0]}" __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _plinth plinth`,
  zsh: `#compdef plinth
# Completion of plinth for zsh: source <(plinth completion zsh)
_plinth() {
  local word meaning
  local -a found
  while IFS=$'\\t' read -r word meaning; do
    case $word in
      :files) _files; return ;;
      :folders) _files -/; return ;;
      ?*) found+=("\${word//:/\\\\:}\${meaning:+:$meaning}") ;;
    esac
  done < <("\${words[1]}" __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)
  _describe plinth found
}
compdef _plinth plinth`,
  fish: `# Completion of plinth for fish: plinth completion fish > ~/.config/fish/completions/plinth.fish
function __plinth_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in ($words[1] __complete $words[2..] 2>/dev/null)
        switch $line
            case ':files*'
                __fish_complete_path (commandline -ct)
            case ':folders*'
                __fish_complete_directories (commandline -ct)
            case '*'
                echo $line
        end
    end
end
complete -c plinth -f -a '(__plinth_complete)'`,
};
