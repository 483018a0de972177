# Every memory order of the engine is accounted for where it is used: in the statement, or in a comment
# on it or right above it, stands the label of the ordering that it is part of (PUB-2), or, for relaxed
# ones alone, the word relaxed and why that is enough. Labels are defined in the comment that opens a
# module, one a line with two blanks behind it, and cited nowhere else than in what belongs to it.
# Prints what is wrong; exits 1 if anything is.

function wrong(file, line, what) {
  printf "%s:%d: %s\n", file, line, what
  bad = 1
}

# Whether the statement of line `at` may begin there: what is before it is at an end.
function begins(at) {
  return at == 1 || line_of[at - 1] ~ /([;{}:]|\*\/)[ \t]*$/ || line_of[at - 1] ~ /^[ \t]*($|#|\/\*|\*)/
}

function check_orders(count, at, first, last, text) {
  for (at = 1; at <= count; at++) {
    if (line_of[at] !~ /memory_order_/)
      continue
    for (first = at; !begins(first); first--)
      ;
    for (last = at; last < count && line_of[last] !~ /[;{)][ \t]*(\/\*.*\*\/)?[ \t]*$/; last++)
      ;
    if (line_of[first - 1] ~ /\*\/[ \t]*$/)
      while (first > 1 && line_of[first - 1] ~ /^[ \t]*(\/\*|\*)/)
        first--
    text = ""
    for (; first <= last; first++)
      text = text line_of[first] "\n"
    if (text ~ /memory_order_(acquire|release|acq_rel|seq_cst)/) {
      if (text !~ /[A-Z]+-[0-9]/)
        wrong(name, at, "an order without the label of what it is for")
    } else if (text !~ /[Rr]elaxed:/ && text !~ /[Rr]elaxed, / && text !~ /[A-Z]+-[0-9]/)
      wrong(name, at, "a relaxed operation that does not say why that is enough")
  }
}

function collect_labels(count, at, rest, label) {
  for (at = 1; at <= count; at++) {
    rest = line_of[at]
    if (match(rest, /^ \*   [A-Z]+-[0-9]+  /)) {
      label = rest
      sub(/^ \*   /, "", label)
      sub(/ .*/, "", label)
      if (label in defined)
        wrong(name, at, label " is defined a second time")
      defined[label] = name ":" at
      sub(/[A-Z]+-[0-9]+/, "", rest)
    }
    while (match(rest, /(^|[^A-Za-z0-9_-])[A-Z]+-[0-9]+/)) {
      label = substr(rest, RSTART, RLENGTH)
      sub(/^[^A-Z]/, "", label)
      if (label !~ /^(UTF|SHA|DNS|FNV)-/ && !(label in cited))
        cited[label] = name ":" at
      rest = substr(rest, RSTART + RLENGTH)
    }
  }
}

function end_of_file() {
  check_orders(length_of)
  collect_labels(length_of)
  delete line_of
}

FNR == 1 && NR > 1 { end_of_file() }
{
  name = FILENAME
  length_of = FNR
  line_of[FNR] = $0
}
END {
  end_of_file()
  for (label in cited)
    if (!(label in defined)) {
      print cited[label] ": " label " is defined nowhere"
      bad = 1
    }
  for (label in defined) {
    labels++
    if (!(label in cited)) {
      print defined[label] ": " label " is cited nowhere"
      bad = 1
    }
  }
  if (labels < 10) {
    print "only " labels " labels were found"
    bad = 1
  }
  print labels " orderings"
  exit bad
}
