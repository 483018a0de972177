# Splits hand-written files into what is code and what is said about it. Prints
#   code NAME                for each berth_ or BERTH_ name in code
#   name FILE LINE NAME      for each in a comment or a document; a trailing * stands for any ending
#   path FILE LINE PATH      for each path in a comment or a document
#   file FILE LINE NAME      for each file named without its folder
function say(text,   rest, word, at)
{
    rest = text
    while (match(rest, /(berth_|BERTH_)[A-Za-z0-9_]+[*]?/)) {
        word = substr(rest, RSTART, RLENGTH)
        at = RSTART > 1 ? substr(rest, RSTART - 1, 1) : " "
        if (at !~ /[A-Za-z0-9_.\/-]/)
            print "name", FILENAME, FNR, word
        rest = substr(rest, RSTART + RLENGTH)
    }
    rest = text
    while (match(rest, /[A-Za-z0-9_.*{},-]+(\/[A-Za-z0-9_.*{},-]+)+\/?/)) {
        word = substr(rest, RSTART, RLENGTH)
        at = RSTART > 1 ? substr(rest, RSTART - 1, 1) : " "
        if (at !~ /[\/:~$@=<]/)
            print "path", FILENAME, FNR, word
        rest = substr(rest, RSTART + RLENGTH)
    }
    rest = text
    while (match(rest, /[A-Za-z0-9_*]+[.](c|h|cc|sh|awk|md|pml)/)) {
        word = substr(rest, RSTART, RLENGTH)
        at = RSTART > 1 ? substr(rest, RSTART - 1, 1) : " "
        if (at !~ /[A-Za-z0-9_.\/-]/ && substr(rest, RSTART + RLENGTH, 1) !~ /[A-Za-z0-9_]/)
            print "file", FILENAME, FNR, word
        rest = substr(rest, RSTART + RLENGTH)
    }
}

function keep(text,   rest)
{
    rest = text
    while (match(rest, /(berth_|BERTH_)[A-Za-z0-9_]+/)) {
        print "code", substr(rest, RSTART, RLENGTH)
        rest = substr(rest, RSTART + RLENGTH)
    }
}

FNR == 1 {
    inside = 0
    c = FILENAME ~ /\.(c|h|cc|hpp|pml|map)$/
    document = FILENAME ~ /\.md$/
}

document {
    say($0)
    next
}

!c {
    if (match($0, /(^|[ \t])#/)) {
        keep(substr($0, 1, RSTART))
        say(substr($0, RSTART + 1))
    } else
        keep($0)
    next
}

{
    line = $0
    while (line != "") {
        if (inside) {
            end = index(line, "*/")
            say(end ? substr(line, 1, end - 1) : line)
            inside = !end
            line = end ? substr(line, end + 2) : ""
        } else {
            begin = index(line, "/*")
            keep(begin ? substr(line, 1, begin - 1) : line)
            inside = begin > 0
            line = begin ? substr(line, begin + 2) : ""
        }
    }
}
