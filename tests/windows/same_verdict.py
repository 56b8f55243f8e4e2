#!/usr/bin/env python3
"""Is this the verdict of the record? usage: same_verdict.py MACHINE.want LIVE.json"""
import json
import sys


def said(doc):
    return {"judged": doc["judged"], "verdict": doc["verdict"],
            "layers": [x for x in doc["layers"] if x["name"] not in ("container",)],
            "findings": [{k: f.get(k) for k in ("cause", "status", "summary")} for f in doc["findings"]]}


with open(sys.argv[1], encoding="utf-8") as f:
    want, _ = json.JSONDecoder().raw_decode(f.read())
with open(sys.argv[2], encoding="utf-8") as f:
    live = json.load(f)
a, b = said(want), said(live)
for key in a:
    if a[key] != b[key]:
        print(f"{key}:\n  record: {json.dumps(a[key], ensure_ascii=False)}\n  live:   {json.dumps(b[key], ensure_ascii=False)}")
sys.exit(a != b)
