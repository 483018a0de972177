"""A server that always gives the same answer, for test_run.sh. Usage: run_server.py STATUS BODY;
prints its port."""
import sys

import quiet_server


class Answer(quiet_server.Quiet):
    def do_GET(self):
        self.answer(int(sys.argv[1]), sys.argv[2].encode())


quiet_server.serve(Answer)
