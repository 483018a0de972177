# Puts styles and scripts into the page and writes it as a C array.
# cmake -DFOLDER=tools/report -DOUTPUT=report_template.c -P embed.cmake
file(READ ${FOLDER}/page.css style)
file(READ ${FOLDER}/page.js script)
file(READ ${FOLDER}/live.js live)
string(REPLACE "@@LIVE_SCRIPT@@" "${live}" script "${script}")
file(READ ${FOLDER}/page.html page)
string(REPLACE "@@STYLE@@" "${style}" page "${page}")
string(REPLACE "@@SCRIPT@@" "${script}" page "${page}")
file(WRITE ${OUTPUT}.html "${page}")
file(READ ${OUTPUT}.html hex HEX)
file(REMOVE ${OUTPUT}.html)
string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
file(WRITE ${OUTPUT} "#include \"report/report_template.h\"\n
const unsigned char report_template[] = {\n${bytes}};\n
const size_t report_template_bytes = sizeof(report_template);\n")
