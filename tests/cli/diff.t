# What changed between two machines, and whether it matters.
$ M=$SHARED_MACHINES; tenon diff $M/py310-tf210-numpy2.json $M/py310-tf210-numpy2.json
out No difference.

$ M=$SHARED_MACHINES; tenon diff $M/py310-tf210-numpy2.json $M/py310-tf210-numpy126.json --json
exit 1
json command "diff"

$ M=$SHARED_MACHINES; tenon diff $M/py310-tf210-numpy2.json $M/py310-tf210-numpy126.json
exit 1
out matters
out numpy

# A masked snapshot against this machine, which it was made of: nothing matters.
$ tenon snapshot > a.json && tenon diff a.json
exit 0

$ tenon diff nothing.json
exit 3
err nothing.json

$ tenon diff
exit 2
err BEFORE

$ tenon snapshot --raw
exit 2
err --output

# Apart from free space, which others fill while we look.
$ tenon snapshot --raw -o r.json && stat -c %a r.json && tenon snapshot --from r.json --include-identifiers > b.json && tenon snapshot --include-identifiers > c.json && sed -i 's/"free_bytes": {[^}]*}/"free_bytes": {"is": "unasked"}/' b.json c.json && tenon diff b.json c.json
out 600
out No difference.
