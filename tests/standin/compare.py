"""compare.py MACHINE.txt SNAPSHOT.json DOCTOR.json DOCTOR.txt : does every line of the machine's text arrive as a fact, and is
the verdict the one that its "expect" line demands?  expect: ok | CAUSE [WORD-IN-THE-TEXT] | warning CAUSE [WORD]"""
import json
import sys

text, s, d, shown = open(sys.argv[1]).read(), json.load(open(sys.argv[2])), json.load(open(sys.argv[3])), open(sys.argv[4]).read()
top, cards = {}, []
for line in text.split("\n"):
    key, _, rest = line.strip().partition(" ")
    if not key or key == "#":
        continue
    if key == "gpu":
        cards.append({"bus": rest})
    elif cards:
        cards[-1].setdefault(key, []).append(rest)
    else:
        top[key] = rest
bad = []


def fact(row, name):
    f = row.get(name, {"is": "unasked"})
    return f.get("value") if f["is"] == "known" else f["is"]


def want(what, got, wanted):
    if got != wanted:
        bad.append(f"{what}: {got!r}, not {wanted!r}")


ERRORS = {"8": "NVML_ERROR_INSUFFICIENT_POWER", "15": "NVML_ERROR_GPU_IS_LOST", "16": "NVML_ERROR_RESET_REQUIRED"}
MODES = ["default", "exclusive_thread", "prohibited", "exclusive_process"]
FABRIC = ["not_supported", "not_started", "in_progress", "completed"]
THROTTLE = ["idle", "application_clocks", "power", "hw_slowdown", "sync_boost", "sw_thermal", "hw_thermal", "power_brake", "display_clocks"]
rows = {fact(g, "bus"): g for g in s["gpu"]["rows"] if fact(g, "vendor") == "nvidia"}
want("cards", sorted(rows), sorted(c["bus"] for c in cards))
started = "cu_init" not in top
want("driver", fact(s["driver"], "nvml_version"), top["driver"])
want("CUDA", fact(s["driver"], "cuda"), f"{int(top['cuda']) // 1000}.{int(top['cuda']) % 1000 // 10}")
if started:
    want("cuda_devices", fact(s["driver"], "cuda_devices"), sum("cuda_hidden" not in c for c in cards))
index = cuda_index = n_facts = 0
for c in cards:
    g, name, nvml = rows.get(c["bus"], {}), c["bus"], c.get("nvml", [""])[0]
    one = {k: v[0] for k, v in c.items() if k != "bus"}
    if nvml == "no":
        want(name + " nvml", fact(g, "nvml"), "absent")
    elif nvml:
        want(name + " nvml", fact(g, "nvml"), ERRORS[nvml[1:]])
    if nvml:
        index += nvml != "no"
        continue
    wanted = {"nvml": "NVML_SUCCESS", "index": index, "name": one["name"], "uuid": one["uuid"], "capability": one["capability"].replace(" ", "."),
              "minor": int(one["minor"]), "compute_mode": MODES[int(one["compute_mode"])]}
    memory = [int(x) for x in one["memory"].split()]
    wanted.update(memory_bytes=memory[0], used_bytes=memory[1], free_bytes=memory[2])
    for k in ("temperature_c", "power_mw", "power_limit_mw", "clock_mhz", "clock_max_mhz", "pcie_width", "pcie_width_max", "mig_devices"):
        if k in one:
            wanted[k] = int(one[k])
    for k, to in (("mig", "mig"), ("ecc", "ecc"), ("persistence", "persistence"), ("pages_pending", "pages_pending")):
        if k in one:
            wanted[to] = one[k].split()[0] == "1"
    if "ecc_now" in one:
        wanted["ecc_errors"] = int(one["ecc_now"])
    if "rows" in one:
        r = one["rows"].split()
        wanted.update(rows_pending=r[2] != "0", rows_failed=r[3] != "0")
    if "nvlink" in one:
        wanted["nvlinks_active"], wanted["nvlinks"] = map(int, one["nvlink"].split())
    if "fabric" in one:
        wanted["fabric"] = FABRIC[int(one["fabric"].split()[0])]
    if "firmware" in one:
        wanted["firmware"] = one["firmware"]
    bits = int(one["throttle"], 16)
    wanted["throttle"] = [w for i, w in enumerate(THROTTLE) if bits >> i & 1] or "absent"
    if started:
        wanted["cuda_index"] = "absent" if "cuda_hidden" in one else cuda_index
        if "peers" in one:
            shown_to = [x for x in one["peers"].split() if "cuda_hidden" not in next(o for o in cards if o["bus"] == x)]
            wanted["peers"] = sorted(shown_to)
    for k, v in wanted.items():
        got = fact(g, k)
        want(f"{name} {k}", sorted(got) if k == "peers" and isinstance(got, list) else got, v)
    n_facts += len(wanted)
    index += 1
    cuda_index += "cuda_hidden" not in one
programs = [(c["bus"], p.split()) for c in cards for p in c.get("process", [])]
want("processes", len(s["process"]["rows"]), len(programs))
for row, (bus, p) in zip(s["process"]["rows"], programs):
    want("process", (fact(row, "pid"), fact(row, "gpu"), fact(row, "kind")), (int(p[1]), bus, "compute" if p[0] == "c" else "graphics"))
    want("its memory", fact(row, "memory_bytes"), int(p[2]) if len(p) > 2 else "absent")
    want("its owner", fact(row, "uid"), 0 if p[1] == "1" else "absent")
expected = top["expect"].split()
status = d["verdict"]["status"]
sure = [f["cause"] for f in d["findings"] if f["status"] in ("confirmed", "likely") and f["severity"] != "note"]
if expected == ["ok"]:
    want("status", (status, sure), ("ok", []))
else:
    warning = expected[0] == "warning"
    expected = expected[warning:]
    want("status", status, "ok" if warning else "problem")
    want("first cause", sure[:1], expected[:1])
    if len(expected) > 1:
        want("doctor names the card", expected[1] in shown, True)
        for c in cards:
            if c["bus"] != expected[1] and c["bus"] in shown.split("Devices")[0]:
                bad.append(f"doctor names {c['bus']}, which is well")
name = sys.argv[1].split("/")[-1][:-4]
print(f"{name:20} {len(cards)} cards, {n_facts:3} facts, {status}: {', '.join(sure) or '-'}{'' if not bad else '  WRONG'}")
for b in bad:
    print("   ", b)
sys.exit(1 if bad else 0)
