#!/usr/bin/env python3
"""tenon clean over a store of conda's packages, laid out as conda does: who has each of NVIDIA's libraries, what is nobody's, and
what has names on the disk that no known environment explains."""
import json, os, subprocess, tempfile

TENON = os.environ["TENON"]
PACKAGES = ("cudatoolkit-11.8.0-h37601d7_11", "libcublas-12.1.3.1-0", "cudnn-8.9.7.29-hbc23b4c_3", "zlib-1.2.13-hd590300_5", "libcufft-11.0", "libcusparse")


def write(path, text=""):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


with tempfile.TemporaryDirectory() as home:
    home = os.path.realpath(home)
    base = home + "/miniforge3"
    for name in PACKAGES:
        write(f"{base}/pkgs/{name}/info/index.json", "{}")
        write(f"{base}/pkgs/{name}/lib/lib.so", "x" * 100000)
    write(f"{base}/pkgs/libnpp-12.0.2.50-0.conda")
    write(f"{base}/pkgs/libnpp-12.0.2.50-0/half")  # being unpacked
    write(base + "/pkgs/urls.txt")
    write(base + "/conda-meta/history")
    for env in ("a", "b"):
        write(f"{base}/envs/{env}/conda-meta/history")
        write(f"{base}/envs/{env}/conda-meta/libcublas-12.1.3.1-0.json", '{"name": "libcublas", "version": "12.1.3.1", "depends": []}')
        os.makedirs(f"{base}/envs/{env}/lib")
        os.link(base + "/pkgs/libcublas-12.1.3.1-0/lib/lib.so", f"{base}/envs/{env}/lib/lib.so")
    os.link(base + "/pkgs/cudnn-8.9.7.29-hbc23b4c_3/lib/lib.so", home + "/elsewhere")
    write(home + "/.conda/environments.txt", f"{base}\n{base}/envs/a\n{base}/envs/b\n")
    clean = {"HOME": home, "XDG_STATE_HOME": home + "/state", "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}

    def run(*words):
        return subprocess.run([TENON, "clean", *words], env=clean, capture_output=True, text=True, check=False)

    items = {i["name"]: i for i in json.loads(run("conda", "--json").stdout)["items"] if i["environment"] is None and i["kind"] == "conda"}
    assert sorted(items) == ["cudatoolkit", "cudnn", "libcublas"], sorted(items)
    assert items["cudatoolkit"]["state"] == "free" and items["cudatoolkit"]["version"] == "11.8.0" and items["cudatoolkit"]["bytes_freed"] >= 100000
    assert items["cudatoolkit"]["removal"]["command"] == "conda clean --packages", items["cudatoolkit"]
    assert items["cudnn"]["state"] == "unclear" and not items["cudnn"]["goes"], items["cudnn"]
    used = [(u["use"], u["text"]) for u in items["libcublas"]["used_by"]]
    assert items["libcublas"]["state"] == "used" and used == [("held", base + "/envs/a"), ("held", base + "/envs/b")], items["libcublas"]
    text = run("conda", "--lang", "en").stdout
    assert "no environment that is known here has it\n" in text and f"is installed in {base}/envs/b" in text, text
    assert "tenon clean conda --yes" not in text, "nothing here is tenon's to move"
