# tenon clean: what could go and who uses it. A record of another command does not hold what it asks for: nothing goes.

$ tenon clean driver --lang en
exit 4
err only with --remove-driver

$ tenon clean driver --lang zh
exit 4
err 才会删除

$ tenon clean nothing-of-the-kind --from $SHARED_MACHINES/home-local-beside-venv.json --lang en
exit 1
err nothing-of-the-kind means none of what was found

$ tenon clean --from $SHARED_MACHINES/home-local-beside-venv.json --json
json command "clean"
json status "survey"
json schema_version 1
