"""One file of data/tables as rows that can be changed: the head stays as it is, rows keep their order.

A claim is what a row says without rank, source and date (and notes, which explain). The rule of CONTRIBUTING: an artefact
beats a document, whose rival claim stays as the next rank with its reason.
"""
import os
import re

ABOUT = ("rank", "source", "date", "notes")


class Conflict(Exception):
    pass


def version_key(text):
    """Orders releases: numbers, then a < b < rc < nothing < post; dev below all."""
    m = re.match(r"(\d+(?:\.\d+)*)(.*)", text)
    if not m:
        return ((), (0, 0))
    numbers = [int(n) for n in m.group(1).split(".")]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    n = int(re.search(r"\d+", m.group(2) + "0").group(0)) if m.group(2) else 0
    order = 0
    for word, place in (("dev", -4), ("rc", -1), ("post", 1), ("a", -3), ("b", -2)):
        if word in m.group(2):
            order = place
            break
    return (tuple(numbers), (order, n))


class TableFile:
    def __init__(self, folder, name):
        self.path, self.name = os.path.join(folder, name + ".tsv"), name
        with open(self.path, encoding="utf-8", newline="") as f:
            lines = f.read().split("\n")[:-1]
        first = next(i for i, line in enumerate(lines) if not line.startswith("#"))
        self.head = lines[:first + 1]
        self.columns = lines[first].split("\t")
        self.key = next(line[6:] for line in self.head if line.startswith("#key: ")).split(" ")[:-1]
        self.rows = [dict(zip(self.columns, line.split("\t"))) for line in lines[first + 1:]]
        self.before = self.text()

    def text(self):
        return "\n".join(self.head + ["\t".join(r[c] for c in self.columns) for r in self.rows]) + "\n"

    def save(self):
        if self.text() == self.before:
            return False
        part = self.path + ".part"
        with open(part, "w", encoding="utf-8", newline="\n") as f:
            f.write(self.text())
        os.replace(part, self.path)
        self.before = self.text()
        return True

    def same_key(self, a, b):
        return all(a[c] == b[c] for c in self.key)

    def of(self, row):
        return sorted((r for r in self.rows if self.same_key(r, row)), key=lambda r: int(r["rank"]))

    def complete(self, row):
        return {c: row.get(c, "") for c in self.columns}

    def put(self, row, order, today):
        """A row that only the tool writes: it takes the place of the row with its key. True if something changed. An index
        that names no sizes and days (HTML) unsays none."""
        row = self.complete(dict(row, rank="1"))
        for i, old in enumerate(self.rows):
            if old["rank"] == "1" and self.same_key(old, row):
                row.update({c: old[c] for c in ("mb", "date") if not row.get(c)})
                if all(old[c] == row[c] for c in self.columns if c != "source"):
                    return False  # says the same: the day of reading stays
                self.rows[i] = row
                return True
        row["date"] = row["date"] or today
        self.insert(row, order)
        return True

    def insert(self, row, order):
        """Before the first row that comes after it; order(row) grows downwards."""
        place = order(row)
        at = next((i for i, r in enumerate(self.rows) if order(r) > place), len(self.rows))
        self.rows.insert(at, row)

    def learn(self, row, order, keep=(), quiet=(), none=()):
        """What an artefact says, into a table that documents filled too. Empty cells of the row that is there are filled; where
        it differs, the wheel's claim becomes rank 1 and the old one a rival. Columns of keep are only filled: there the
        document says something else than the wheel (a tested range); for columns of none an empty cell is a claim too. Two artefacts that differ are a Conflict."""
        rows = self.of(row)
        claims = {c: v for c, v in row.items() if c not in ABOUT and v}
        if not rows:
            self.insert(self.complete(dict(row, rank="1")), order)
            return True
        old = rows[0]
        claims.update({c: row.get(c, "") for c in none})
        wrong = [c for c in claims if old[c] and c not in keep and not agrees(old[c], claims[c]) or c in none and old[c] and not claims[c]]
        new = [c for c in claims if not old[c] and claims[c]]
        if not wrong and not new:
            return False
        notes = "" if "notes" in quiet else row.get("notes", "")
        if wrong and old["source"].startswith("wheel "):
            raise Conflict("%s: %s: the wheel says %s, the row read in a wheel says %s" % (
                self.name, " ".join(row[c] for c in self.key), [claims[c] for c in wrong], [old[c] for c in wrong]))
        if wrong:
            said = "; ".join("%s %s" % (c, old[c]) for c in wrong)
            fresh = dict(old, rank="1", notes=join(notes, "documents say " + said), source=join(row["source"], old["source"]))
            fresh.update({c: claims[c] for c in wrong + new})
            for r in rows:
                r["rank"] = str(int(r["rank"]) + 1)
            old["notes"] = join(old["notes"], "the wheel says " + "; ".join("%s %s" % (c, claims[c] or "none") for c in wrong))
            self.rows.insert(self.rows.index(old), fresh)
            return True
        old.update({c: claims[c] for c in new})
        old["notes"] = join(old["notes"], notes)
        old["source"] = join(old["source"], row["source"])
        return True


def join(a, b):
    return a if not b or b in a else b if not a else a + "; " + b


def agrees(a, b):
    """Are two claims one? Versions as far as both go (9.3 and 9, 12.1 and 12.1.0); every other text letter by letter."""
    if a == b or not a or not b:
        return True
    if not re.fullmatch(r"[\d.]+", a + b):
        return False
    x, y = a.split("."), b.split(".")
    n = min(len(x), len(y))
    return [int(p) for p in x[:n]] == [int(p) for p in y[:n]]
