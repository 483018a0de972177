"""A server that always gives the same answer, for test_run.sh. Usage: run_server.py STATUS BODY;
prints its port."""
import http.server
import sys


class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = sys.argv[2].encode()
        self.send_response(int(sys.argv[1]))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


http.server.HTTPServer.request_queue_size = 128  # else clients that find it full wait a second
server = http.server.HTTPServer(("127.0.0.1", 0), Answer)
print(server.server_port, flush=True)
server.serve_forever()
