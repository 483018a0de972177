/* The writer of JSON and YAML results: nesting, empty containers, line breaks, quoting. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cli/output.c"

/* A document with every kind of value in every kind of place. */
static void write_document(output *o)
{
    output_object(o);
    output_pair_text(o, "name", "web-0");
    output_pair_int(o, "count", -3);
    output_pair_real(o, "part", 0.25, 2);
    output_key(o, "flag");
    output_bool(o, true);
    output_key(o, "empty");
    output_object(o);
    output_object_end(o);
    output_key(o, "list");
    output_array(o);
    output_int(o, 1);
    output_object(o);
    output_pair_text(o, "a", "b");
    output_key(o, "none");
    output_array(o);
    output_array_end(o);
    output_object_end(o);
    output_array(o);
    output_int(o, 2);
    output_int(o, 3);
    output_array_end(o);
    output_object(o);
    output_object_end(o);
    output_array_end(o);
    output_key(o, "inner");
    output_object(o);
    output_pair_text(o, "x", "y");
    output_object_end(o);
    output_object_end(o);
}

static void assert_written(output_format format, uint32_t flat_depth, void (*write)(output *o),
                           const char *expected)
{
    char *text = NULL;
    size_t text_len = 0;
    FILE *file = open_memstream(&text, &text_len);
    assert_non_null(file);
    output o;
    output_open(&o, file, format, flat_depth);
    write(&o);
    output_close(&o);
    assert_int_equal(fclose(file), 0);
    assert_string_equal(text, expected);
    free(text);
}

static void test_json(void **state)
{
    (void)state;
    assert_written(OUTPUT_JSON, 0, write_document,
                   "{\"name\": \"web-0\", \"count\": -3, \"part\": 0.25, \"flag\": true, "
                   "\"empty\": {}, \"list\": [1, {\"a\": \"b\", \"none\": []}, [2, 3], {}], "
                   "\"inner\": {\"x\": \"y\"}}\n");
    assert_written(OUTPUT_JSON, 2, write_document,
                   "{\n  \"name\": \"web-0\",\n  \"count\": -3,\n  \"part\": 0.25,\n"
                   "  \"flag\": true,\n  \"empty\": {},\n  \"list\": [\n    1,\n"
                   "    {\"a\": \"b\", \"none\": []},\n    [2, 3],\n    {}\n  ],\n"
                   "  \"inner\": {\n    \"x\": \"y\"\n  }\n}\n");
}

static void test_yaml(void **state)
{
    (void)state;
    assert_written(OUTPUT_YAML, 0, write_document,
                   "name: web-0\ncount: -3\npart: 0.25\nflag: true\nempty: {}\nlist:\n- 1\n"
                   "- a: b\n  none: []\n- - 2\n  - 3\n- {}\ninner:\n  x: \"y\"\n");
}

static void write_texts(output *o)
{
    static const char *const texts[] = {"plain/text_1.x",
                                        "yes",
                                        "Null",
                                        "12",
                                        "1.5",
                                        "-",
                                        "",
                                        "a: b",
                                        "a b",
                                        "#",
                                        "\"\\",
                                        "\x01\n\t",
                                        "\xc3\xa9",
                                        "~",
                                        ".5",
                                        "n",
                                        "a\x7f",
                                        "\xc2\x9bJ\xc2\xa0\xc2"};
    output_array(o);
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        output_text(o, texts[i]);
    output_array_end(o);
}

static void test_quoting(void **state)
{
    (void)state;
    assert_written(OUTPUT_YAML, 0, write_texts,
                   "- plain/text_1.x\n- \"yes\"\n- \"Null\"\n- \"12\"\n- \"1.5\"\n- \"-\"\n"
                   "- \"\"\n- \"a: b\"\n- \"a b\"\n- \"#\"\n- \"\\\"\\\\\"\n"
                   "- \"\\u0001\\n\\t\"\n- \"\xc3\xa9\"\n- \"~\"\n- \".5\"\n- \"n\"\n"
                   "- \"a\\u007f\"\n- \"\\u009bJ\xc2\xa0\xc2\"\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_yaml),
        cmocka_unit_test(test_quoting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
