#!/usr/bin/env bash
# Settings of installers against the installers themselves: what `pip config list` makes of all its files and variables, and
# which of uv's files uv reads. The files are as before afterwards.
. "$(dirname "$0")/lib.sh"
unset VIRTUAL_ENV CONDA_PREFIX PIP_INDEX_URL PIP_FIND_LINKS PIP_CERT PIP_EXTRA_INDEX_URL UV_INDEX_URL UV_INDEX
export HOME=$WORK/home XDG_CONFIG_HOME=$WORK/home/.config
mkdir -p "$HOME/.pip" "$XDG_CONFIG_HOME/pip" "$XDG_CONFIG_HOME/uv" "$WORK/project/sub"
python=
for p in python3 /usr/bin/python3 "$PARTS"/python-tools-1/bin/python; do if "$p" -c 'import venv, ensurepip' 2>/dev/null; then python=$p; break; fi; done
[ -n "$python" ] && "$python" -m venv "$WORK/v" >/dev/null 2>&1 || skip "a Python with venv and pip"

printf '[global]\nindex-url = https://legacy.example/simple\ntimeout = 7\n' >"$HOME/.pip/pip.conf"
printf '[global]\nindex_url = https://user.example/simple\n[install]\nextra-index-url =\n    https://one.example/simple\n    # a comment\n    https://two.example/simple\n' >"$XDG_CONFIG_HOME/pip/pip.conf"
printf '[global]\nno-index: false\n' >"$WORK/v/pip.conf"
printf '[global]\nindex-url = https://file.example/simple\n' >"$WORK/file.conf"
find "$WORK" -name 'pip.conf' -o -name file.conf -o -name '*.toml' | xargs sha256sum >"$WORK/before"

# What counts in the end, "section.key=value" a line: the last row of each key; list values joined as pip shows them.
ours() {
    "$TENON" snapshot --env "$WORK/v" --include-identifiers >"$WORK/s.json" || fail "snapshot"
    python3 - "$WORK/s.json" <<'X'
import json, sys
rows = json.load(open(sys.argv[1]))["config"]["rows"]
got, last = {}, {}
for r in rows:
    v = {k: f.get("value") for k, f in r.items()}
    if v["by"] != "pip":
        continue
    name, place = f"{v['section']}.{v['key']}", v.get("path")
    got[name] = got[name] + " " + v["value"] if last.get(name) == place and name in got else v["value"]
    last[name] = place
print("\n".join(f"{k}={v}" for k, v in sorted(got.items()) if not k.startswith("environment.")))
X
}
theirs() {
    "$WORK/v/bin/python" -m pip config list 2>/dev/null | python3 -c '
import ast, sys
for line in sorted(sys.stdin):
    k, _, v = line.rstrip("\n").partition("=")
    v = ast.literal_eval(v)
    if k.startswith((":env:", "global.cert")): continue
    print(k + "=" + " ".join(x for x in v.split()))'
}
clean() { grep -v '^global.cert=' || true; }
same "$(ours | clean)" "$(theirs)" "pip's files"
export PIP_CONFIG_FILE=$WORK/file.conf
same "$(ours | clean)" "$(theirs)" "PIP_CONFIG_FILE"
export PIP_CONFIG_FILE=/dev/null
same "$(ours | clean)" "$(theirs)" "PIP_CONFIG_FILE=/dev/null"
unset PIP_CONFIG_FILE
find "$WORK" -name 'pip.conf' -o -name file.conf -o -name '*.toml' | xargs sha256sum | cmp -s - "$WORK/before" || fail "a file was changed"

uv=$PARTS/python-tools-1/bin/uv
[ -x "$uv" ] || skip "uv"
printf 'index-url = "https://user.example/simple"\n' >"$XDG_CONFIG_HOME/uv/uv.toml"
printf '[tool.uv]\nindex-url = "https://pyproject.example/simple"\n' >"$WORK/project/pyproject.toml"
urls() { (cd "$1" && "$TENON" snapshot --include-identifiers) | python3 -c '
import json, sys
rows = json.load(sys.stdin)["config"]["rows"]
print(" ".join(r["value"]["value"] for r in rows if r["by"]["value"] == "uv" and r["key"]["value"] == "index-url"))'; }
reads() { (cd "$1" && "$uv" pip install --show-settings --offline x 2>/dev/null || true) | grep -o 'https://[a-z]*\.example' | sort -u | tr '\n' ' '; }
for d in "$WORK" "$WORK/project" "$WORK/project/sub"; do
    last=$(urls "$d"); last=${last##* }
    case " $(reads "$d")" in *" ${last%/simple} "*) ;; *) fail "uv in $d reads '$(reads "$d")', not '$last'" ;; esac
done
printf 'index-url = "https://project.example/simple"\n' >"$WORK/project/uv.toml"
same "$(urls "$WORK/project")" "https://user.example/simple https://project.example/simple" "uv.toml beside pyproject.toml"
case "$(reads "$WORK/project")" in *pyproject.example*) fail "uv reads pyproject.toml beside uv.toml" ;; esac
