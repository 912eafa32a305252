"""The proxies that are compared. Each function writes a configuration into `folder` and returns the command that runs
the proxy in the foreground on `port`. The work is the same for all: forward any absolute-form request, and add
`x-visitor-id` when the URL starts with `work.prefix`; open any CONNECT tunnel."""
import dataclasses
import json
import os
import socket
import subprocess

# What the peers inject: a constant of the length of ours.
VALUE = "01234567-89ab-4cde-8f01-23456789abcd"


@dataclasses.dataclass
class Work:
    """What all proxies are asked to do."""
    binary: str
    origin_port: int
    workers: int

    @property
    def origin(self):
        return f"127.0.0.1:{self.origin_port}"

    @property
    def prefix(self):
        return f"http://{self.origin}/a/"


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write(text)
    return path


def footfall(folder, port, work, record=False, rules=1, when=None, **sections):
    """Ours. Recording off is the like-for-like comparison: no peer here writes a line per request."""
    listed = [{"name": "measured", "match": {"prefix": work.prefix}, **({"when": when} if when else {})}]
    # Further prefixes of the same origin: they meet every request, and match none.
    listed += [{"name": f"other-{n}", "match": {"prefix": f"http://{work.origin}/other/{n:05d}/"}} for n in range(rules - 1)]
    settings = {
        "proxy": {"listen": [f"127.0.0.1:{port}"], "workers": work.workers, "profile": "desktop"},
        "admin": {"listen": f"127.0.0.1:{free_port()}"},
        "state": {"directory": folder + "/state"},
        "visitorID": {"header": "x-visitor-id", "ttlHours": 24},
        "events": {"record": "all" if record else "none"},
        "rules": listed, **sections,
    }
    os.makedirs(folder + "/state", exist_ok=True)
    return [work.binary, "run", "--config", write(folder, "footfall.json", json.dumps(settings, indent=1))]


def footfall_recording(folder, port, work):
    return footfall(folder, port, work, record=True)


def footfall_ahoy(folder, port, work):
    return footfall(folder, port, work, record=True, ahoy={"baseURL": f"http://{work.origin}"})


def footfall_flags(folder, port, work):
    # No flags come from the origin: the rule applies by its fallback.
    return footfall(folder, port, work, when={"flag": "measured", "fallback": True}, cohorly={"apiHost": f"http://{work.origin}"})


def footfall_10000_rules(folder, port, work):
    return footfall(folder, port, work, rules=10_000)


def footfall_100_rules(folder, port, work):
    return footfall(folder, port, work, rules=100)


def haproxy(folder, port, work):
    return ["haproxy", "-db", "-f", write(folder, "haproxy.cfg", f"""global
  nbthread {work.workers}
  maxconn 9000
defaults
  mode http
  timeout client 60s
  timeout server 60s
  timeout connect 5s
  http-reuse always
frontend f
  bind 127.0.0.1:{port}
  http-request set-header x-visitor-id {VALUE} if {{ url_beg {work.prefix} }}
  http-request set-dst url_ip
  http-request set-dst-port url_port
  http-request set-uri %[pathq]
  default_backend b
backend b
  server s 0.0.0.0:0
""")]


def nginx(folder, port, work, fixed=False):
    """A forward proxy of sorts: the upstream is computed per request, so it is never kept."""
    upstream = f"upstream up {{ server {work.origin}; keepalive 256; keepalive_requests 100000000; }}" if fixed else ""
    destination = "http://up" if fixed else "http://$http_host$request_uri"
    pattern = work.prefix.replace(".", "\\.")
    configuration = write(folder, "nginx.conf", f"""daemon off; master_process off; worker_processes 1;
pid {folder}/pid; error_log {folder}/error error;
events {{ worker_connections 16384; }}
http {{ access_log off; keepalive_requests 100000000; keepalive_timeout 300s;
client_body_temp_path {folder}/b; proxy_temp_path {folder}/p; fastcgi_temp_path {folder}/f;
uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
map "http://$http_host$request_uri" $identity {{ "~^{pattern}" "{VALUE}"; default ""; }}
{upstream}
server {{ listen 127.0.0.1:{port} backlog=4096; location / {{ proxy_pass {destination}; proxy_http_version 1.1;
proxy_set_header Connection ""; proxy_set_header Host $http_host; proxy_set_header x-visitor-id $identity;
proxy_max_temp_file_size 0; }} }} }}
""")
    return ["nginx", "-c", configuration, "-p", folder, "-e", folder + "/error"]


def nginx_fixed(folder, port, work):
    """One fixed upstream with kept connections: less than a forward proxy does, the floor for nginx."""
    return nginx(folder, port, work, fixed=True)


def squid(folder, port, work):
    os.chmod(folder, 0o777)
    pattern = work.prefix.replace(".", "\\.")
    return ["squid", "-N", "-f", write(folder, "squid.conf", f"""http_port 127.0.0.1:{port}
http_access allow all
cache deny all
cache_mem 0 MB
access_log none
cache_log {folder}/cache.log
cache_store_log none
coredump_dir {folder}
pid_filename {folder}/squid.pid
pinger_enable off
shutdown_lifetime 1 seconds
max_filedescriptors 16384
acl measured url_regex ^{pattern}
request_header_add x-visitor-id "{VALUE}" measured
""")]


def tinyproxy(folder, port, work):
    """Adds the field to every request: it has no rules by URL."""
    return ["tinyproxy", "-d", "-c", write(folder, "tinyproxy.conf", f"""Port {port}
Listen 127.0.0.1
Timeout 600
LogLevel Critical
LogFile "{folder}/log"
MaxClients 8000
AddHeader "x-visitor-id" "{VALUE}"
""")]


def apache(folder, port, work):
    os.chmod(folder, 0o777)
    modules = "mpm_event authz_core proxy proxy_http proxy_connect headers".split()
    load = "".join(f"LoadModule {m}_module /usr/lib/apache2/modules/mod_{m}.so\n" for m in modules)
    return ["apache2", "-DFOREGROUND", "-f", write(folder, "apache.conf", load + f"""ServerRoot {folder}
ServerName localhost
PidFile {folder}/pid
Listen 127.0.0.1:{port}
User www-data
Group www-data
ErrorLog {folder}/error
LogLevel error
KeepAlive On
MaxKeepAliveRequests 0
KeepAliveTimeout 300
StartServers 1
ServerLimit 1
ThreadLimit 128
ThreadsPerChild 128
MaxRequestWorkers 128
AsyncRequestWorkerFactor 60
ProxyRequests On
AllowCONNECT 1-65535
<Proxy "*">
Require all granted
</Proxy>
<Proxy "http://{work.origin}/" >
ProxySet enablereuse=on keepalive=on max=128
</Proxy>
<Proxy "{work.prefix}*">
RequestHeader set x-visitor-id "{VALUE}"
</Proxy>
""")]


def trafficserver(folder, port, work):
    etc = folder + "/etc"
    for name in ("etc", "run", "log", "cache"):
        os.makedirs(f"{folder}/{name}", exist_ok=True)
    subprocess.run(["cp", "-r", "/etc/trafficserver/.", etc], check=True)
    write(etc, "storage.config", f"{folder}/cache 16M\n")
    write(etc, "plugin.config", "header_rewrite.so visitor.conf\n")
    pattern = work.prefix.replace("/", "\\/").replace(".", "\\.")
    write(etc, "visitor.conf", f"cond %{{READ_REQUEST_PRE_REMAP_HOOK}}\ncond %{{CLIENT-URL}} /^{pattern}/\n"
                               f"set-header x-visitor-id \"{VALUE}\"\n")
    write(etc, "ip_allow.yaml", "ip_allow:\n  - apply: in\n    ip_addrs: 0/0\n    action: allow\n    methods: ALL\n")
    values = {
        "http.server_ports STRING": f"{port}:ip-in=127.0.0.1", "reverse_proxy.enabled INT": 0,
        "url_remap.remap_required INT": 0, "url_remap.pristine_host_hdr INT": 1, "http.cache.http INT": 0,
        "exec_thread.autoconfig INT": 0, "exec_thread.limit INT": 1, "exec_thread.affinity INT": 0,
        "accept_threads INT": 0, "task_threads INT": 1, "log.logging_enabled INT": 0,
        "http.server_session_sharing.match STRING": "both", "http.connect_ports STRING": "*",
        "net.connections_throttle INT": 15000, "net.max_connections_in INT": 14000, "net.max_requests_in INT": 14000,
        "admin.user_id STRING": "trafficserver", "http.wait_for_cache INT": 0,
        "hostdb.host_file.path STRING": "/etc/hosts", "local_state_dir STRING": folder + "/run",
        "cache.ram_cache.size INT": 1048576,
    }
    write(etc, "records.config", "".join(f"CONFIG proxy.config.{name} {value}\n" for name, value in values.items()))
    write(folder, "runroot.yaml", f"prefix: {folder}\nexec_prefix: /usr\nbindir: /usr/bin\nsbindir: /usr/sbin\n"
          f"sysconfdir: {etc}\ndatadir: {folder}/cache\nincludedir: /usr/include\nlibdir: /usr/lib/x86_64-linux-gnu\n"
          f"libexecdir: /usr/lib/trafficserver/modules\nlocalstatedir: {folder}/run\nruntimedir: {folder}/run\n"
          f"logdir: {folder}/log\ncachedir: {folder}/cache\n")
    subprocess.run(["chown", "-R", "trafficserver", folder], check=True)
    return ["traffic_server", f"--run-root={folder}/runroot.yaml"]


PROXIES = {
    "footfall": footfall, "footfall-recording": footfall_recording, "footfall-ahoy": footfall_ahoy,
    "footfall-flags": footfall_flags,
    "footfall-100-rules": footfall_100_rules,
    "footfall-10000-rules": footfall_10000_rules, "haproxy": haproxy, "nginx-fixed": nginx_fixed, "nginx": nginx,
    "squid": squid, "tinyproxy": tinyproxy, "apache": apache, "trafficserver": trafficserver,
}
# Those that do a forward proxy's work; nginx-fixed does not.
PEERS = {"haproxy", "nginx", "squid", "tinyproxy", "apache", "trafficserver"}
# Those that the Debian packages of `Scripts/install-packages bench` provide.
DEFAULT = ["footfall", "footfall-recording", "footfall-ahoy", "footfall-flags", "footfall-100-rules", "footfall-10000-rules", "haproxy", "nginx-fixed", "nginx",
           "squid", "trafficserver"]
TUNNELS = {"footfall", "footfall-recording", "squid", "tinyproxy", "apache", "trafficserver"}
