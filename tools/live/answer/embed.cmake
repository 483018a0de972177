# Writes openapi.json as a C array. Variables: INPUT, OUTPUT.
file(READ ${INPUT} bytes HEX)
string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
file(WRITE ${OUTPUT} "/* Made of openapi.json. */\n#include \"live/answer/answers.h\"\n\nconst char openapi_document[] = {${bytes}0};\n")
