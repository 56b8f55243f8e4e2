#!/usr/bin/env python3
"""tenon bench over a stand-in BLAS: what is timed and reported, what a bad library is called, what is refused.
usage: bench.py STANDIN"""
import csv
import io
import json
import os
import resource
import signal
import stat
import subprocess
import sys
import tempfile
import time
import xml.dom.minidom

TENON, SOURCE = os.environ["TENON"], os.environ["TENON_SOURCE"]
STANDIN = os.path.realpath(sys.argv[1])
bad = []


def run(*args, what="", lang="en", **how):
    env = dict(os.environ, TENON_TEST_BLAS=what, LANG="C.UTF-8")
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX", "LC_ALL", "TENON_LANG"):
        env.pop(name, None)
    return subprocess.run([TENON, "bench", "--lang", lang, *args], env=env, capture_output=True, text=True, timeout=120, **how)


def check(ok, what, r=None):
    if not ok:
        bad.append(what + (f": exit {r.returncode}\n{r.stdout}{r.stderr}" if r else ""))


def of(*args, **how):
    return run("--blas", STANDIN, *args, **how)


def figures():
    for lang, words in (("en", ("warm-up of", "runs: 12, multiplications in each", "median", "spread", "GFLOP/s", "FP32", "data creation not timed")),
                        ("zh", ("预热", "运行次数 12", "中位数", "离散程度", "GFLOP/s", "FP32", "数据创建不计时"))):
        r = of("--n", "40", "--runs", "12", lang=lang)
        check(r.returncode == 0 and all(w in r.stdout for w in words) and not r.stderr, f"figures in {lang}", r)
    r = of("--n", "24,40", "--runs", "12", "--threads", "3", "--json")
    doc = json.loads(r.stdout)
    cpu, gpu = doc["sides"]
    check([x["n"] for x in cpu["results"]] == [24, 40] and cpu["threads"] == 3 and cpu["library"] == "OpenBLAS 0.0.1"
          and cpu["path"] == STANDIN and cpu["precision"] == "fp32", "document", r)
    check(gpu["results"] == [] and gpu["not_measured"], "the side that was not measured says why", r)
    for x in cpu["results"]:
        s, t = sorted(x["samples_seconds"]), x["seconds"]
        check(x["runs"] == len(s) == 12 and x["checked"], "runs", r)
        check(abs(t["median"] - (s[5] + s[6]) / 2) < 1e-12 and t["min"] == s[0] and t["max"] == s[-1], "median and ends", r)
        check((t["low"], t["high"]) == (s[2], s[9]), "the range of the median: ranks 3 and 10 of 12", r)
        check(abs(x["gflops"] * t["median"] * 1e9 / (2 * x["n"] ** 3) - 1) < 1e-6, "operations a second", r)
    try:
        import jsonschema
        schema = json.load(open(f"{SOURCE}/doc/bench.schema.json", encoding="utf-8"))
        jsonschema.validate(doc, schema)
        jsonschema.validate(json.loads(run("--replay", "2.3 s / 10", "--json").stdout), schema)
        doc["sides"][0]["results"][0].pop("seconds")
        check(not jsonschema.Draft202012Validator(schema).is_valid(doc), "the schema accepts anything")
    except ImportError:
        print("skipped: python3-jsonschema is not installed")


def works():
    """Convolution and transformer step: what is counted, each part compared; when they are measured at all."""
    r = of("--work", "convolution,step", "--batch", "1", "--runs", "1", "--device", "cpu")
    check(r.returncode == 0 and all(w in r.stdout for w in ("convolution, batch 1: median", "done by im2col, cblas_sgemm", "transformer step, batch 1",
          "counted as 0.231 GFLOP", "counted as 0.218 GFLOP")) and r.stdout.count("sums of our own") == 2, "works", r)
    for what, work, word in (("wrong", "convolution", "wrong result: convolution"), ("nan", "convolution", "wrong result: convolution"),
                             ("nothing", "step", "wrong result: queries"), ("wrong", "step", "wrong result: queries"),
                             ("wrong-turned", "step", "wrong result: scores")):
        r = of("--work", work, "--batch", "1", "--runs", "1", "--device", "cpu", what=what)
        check(r.returncode == 1 and word in r.stdout, f"{work} by a library that does: {what}", r)
    for args in (("--work", "conv"), ("--work", ""), ("--work", "step", "--n", "24"), ("--work", "step", "--precision", "fp64"),
                 ("--batch", "0"), ("--batch", "4097")):
        check(run(*args).returncode == 2, " ".join(args))
    limit = 1 << 30
    r = run("--work", "convolution", "--batch", "4096", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
    check(r.returncode == 4 and "6576668672 bytes" in r.stderr and not r.stdout, "a batch beyond the memory", r)


def forms(folder):
    a = os.path.join(folder, "a.json")
    r = of("--n", "24,40", "--runs", "12", "--csv", "--save", a)
    rows = list(csv.DictReader(io.StringIO(r.stdout)))
    kept = json.load(open(a, encoding="utf-8"))["sides"][0]["results"]
    check([x["n"] for x in rows] == ["24", "40"] and all(abs(float(x["median_s"]) / y["seconds"]["median"] - 1) < 1e-6
                                                        for x, y in zip(rows, kept)), "csv and what was saved", r)
    r = of("--n", "24,40", "--runs", "12", "--html")
    check("<script" not in r.stdout and "default-src 'none'" in r.stdout and "src=" not in r.stdout and "href" not in r.stdout,
          "html without script or anything fetched", r)
    check("white-space:nowrap" in r.stdout and "<td>24</td>" in r.stdout, "a figure stays with its unit", r)
    svg = r.stdout[r.stdout.index("<svg"):r.stdout.index("</svg>") + 6]
    tree = xml.dom.minidom.parseString(svg)
    check(len(tree.getElementsByTagName("circle")) == 2 and len(tree.getElementsByTagName("polyline")) == 1, "two sizes in the plot", r)
    r = of("--n", "24", "--runs", "12", "--plain")
    check("#" in r.stdout and r.stdout.isascii(), "a bar chart in ASCII", r)
    r = of("--n", "24", "--runs", "5", "--save", os.path.join(folder, "none", "x"))
    check(r.returncode == 5 and "GFLOP/s" in r.stdout, "a file that cannot be written", r)
    for args in (("--save", "/dev/full"), ("--json",)):
        with open("/dev/full", "w") as full:
            r = subprocess.run([TENON, "bench", "--blas", STANDIN, "--n", "24", "--runs", "3", "--device", "cpu", *args],
                               stdout=full if len(args) == 1 else subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        check(r.returncode == 5 and stat.S_ISCHR(os.stat("/dev/full").st_mode), f"no space for {args}: {r.returncode}")


def compared(folder):
    def doc(name, factor, noise):
        samples = [(1 + noise * ((i * 7919) % 101 - 50) / 50) * factor for i in range(60)]
        result = {"n": 100, "samples_seconds": samples}
        side = {"device": "cpu", "precision": "fp32", "library": "OpenBLAS 0.0.1", "path": "/x", "results": [result]}
        path = os.path.join(folder, name)
        json.dump({"schema_version": 1, "command": "bench", "sides": [side]}, open(path, "w"))
        return path

    def verdict(a, b):
        r = run("--compare", a, b, "--json")
        return json.loads(r.stdout)["compared"][0]["verdict"]
    a, same, slower = doc("a", 1.0, 0.05), doc("same", 1.001, 0.06), doc("slower", 1.2, 0.05)
    check(verdict(a, same) == "no_difference", "noise is no difference")
    check(verdict(a, slower) == "slower" and verdict(slower, a) == "faster", "a fifth is one")
    check("Wilcoxon" in run("--compare", a, slower).stdout, "the method is said")
    for text in ("", "{}", '{"command":"bench","sides":[{"device":"cpu","results":[{"n":1e99,"samples_seconds":[1]}]}]}',
                 '{"command":"bench","sides":[{"device":"cpu","results":[{"n":4,"samples_seconds":[-1]}]}]}'):
        path = os.path.join(folder, "bad")
        open(path, "w").write(text)
        r = run("--compare", a, path)
        check(r.returncode == 3 and "bad" in r.stderr, f"no measurement: {text!r}", r)
    check(run("--compare", a).returncode == 2 and run(a).returncode == 2, "two files")


def bad_libraries(folder):
    for what, status, word in (("wrong", 1, "wrong result"), ("nan", 1, "wrong result"), ("nothing", 1, "wrong result"),
                               ("crash", 3, "crashed while"), ("exit", 3, "ended the process")):
        r = of("--n", "24", "--runs", "3", what=what)
        check(r.returncode == status and word in r.stdout, f"a library that does: {what}", r)
    r = of("--n", "24", "--runs", "3", what="escape")
    check(r.returncode == 0 and "\033" not in r.stdout, "no escape reaches the terminal", r)
    text = os.path.join(folder, "text.so")
    open(text, "w").write("no library")
    for path in (text, os.path.join(folder, "absent.so")):
        r = run("--blas", path, "--n", "24")
        check(r.returncode == 3 and "could not be used" in r.stdout, "no library", r)


def interrupted():
    """The stand-in takes minutes for this size."""
    p = subprocess.Popen([TENON, "bench", "--blas", STANDIN, "--n", "2048", "--lang", "en"], stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, text=True)
    time.sleep(1)
    children = open(f"/proc/{p.pid}/task/{p.pid}/children").read().split()
    p.send_signal(signal.SIGINT)
    out, err = p.communicate(timeout=20)
    check(p.returncode == 130 and "interrupted" in err and not out, f"Ctrl-C: {p.returncode} {err}")
    check(children and not any(os.path.exists("/proc/" + c) for c in children), f"left running after Ctrl-C: {children}")


def refused():
    limit = 1 << 30
    r = run("--n", "10000", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
    check(r.returncode == 4 and "1.2 GB" in r.stderr and "1200000000 bytes" in r.stderr and not r.stdout, "1 GB free, n 10000", r)
    r = run("--n", "1000000", "--precision", "fp64")
    check(r.returncode == 4 and "24.0 TB" in r.stderr, "an absurd size", r)
    for n in ("0", "-4", "x", "1000001", "12,", "1" * 40, ",".join(["8"] * 17)):
        r = run("--n=" + n)
        check(r.returncode == 2, f"--n {n}", r)
    for args in (("--runs", "0"), ("--device", "npu"), ("--precision", "fp8"), ("--threads", "x"), ("--replay", "fast"),
                 ("--replay", "2 s / 0"), ("--replay", "2 s / 1.5"), ("--replay", "-2 s")):
        check(run(*args).returncode == 2, " ".join(args))


def replayed():
    r = run("--replay", "2.3 s / 10", "--replay", "28 s / 10", "--n", "10000")
    check(r.returncode == 0 and all(w in r.stdout for w in ("0.23 s each", "2.8 s each", "12.2", "8696 GFLOP/s")), "the article's figures", r)
    r = run("--replay", "2.3 s / 10", "--replay", "28 s / 10", lang="zh")
    check(all(w in r.stdout for w in ("0.23 s", "2.8 s", "12.2 倍")), "in Chinese", r)
    check(json.loads(run("--replay", "800ms/4", "--json").stdout)["replayed"][0]["each_seconds"] == 0.2, "milliseconds")


with tempfile.TemporaryDirectory() as work:
    figures()
    works()
    forms(work)
    compared(work)
    bad_libraries(work)
    refused()
    interrupted()
    replayed()
print("\n".join(bad) or "as it should be")
sys.exit(1 if bad else 0)
