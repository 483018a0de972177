/* The subcommands: argv[0] is the subcommand's name; each returns an exit code (exits.h). */
#ifndef BERTH_TOOLS_COMMANDS_H
#define BERTH_TOOLS_COMMANDS_H

int cmd_schedule(int argc, char **argv);
int cmd_generate(int argc, char **argv);
int cmd_import(int argc, char **argv);
int cmd_verify(int argc, char **argv);
int cmd_replay(int argc, char **argv);
int cmd_bench(int argc, char **argv);
int cmd_explain(int argc, char **argv);
int cmd_capacity(int argc, char **argv);
int cmd_drain(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_grow(int argc, char **argv);
int cmd_top(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_dump(int argc, char **argv);
/* defined in berth.c if BERTH_LIVE is not defined: */
int cmd_run(int argc, char **argv);
int cmd_serve(int argc, char **argv);

#endif
