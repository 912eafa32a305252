#!/usr/bin/env python3
"""Raw-byte probes for forward proxies (standard library only; loopback only).

usage: probe.py NAME=PORT [NAME=PORT ...] [-kC06] [-m] [-oFILE]
  -kTEXT  only the probes whose name contains TEXT (repeatable)
  -m      print lines for a table: - `C06` what is probed: value | value
          (without it: C06_name {"NAME": "value"})
  -oFILE  also write all results to FILE as JSON
The proxy must inject the field X-Visitor-Test (any value) into requests for http://127.0.0.1:."""
import socket,threading,time,sys,re,json
TO=2.5
class Origin:
    def __init__(s,script,host='127.0.0.1'):
        s.l=socket.socket(socket.AF_INET6 if ':' in host else socket.AF_INET); s.l.setsockopt(socket.SOL_SOCKET,socket.SO_REUSEADDR,1)
        s.l.bind((host,0)); s.l.listen(16); s.port=s.l.getsockname()[1]; s.conns=[]; s.script=script; s.events=[]
        threading.Thread(target=s.run,daemon=True).start()
    def run(s):
        while True:
            try: c,_=s.l.accept()
            except OSError: return
            i=len(s.conns); s.conns.append(b''); threading.Thread(target=s.h,args=(c,i),daemon=True).start()
    def rd(s,c,i,until,to=TO):
        c.settimeout(0.05); t=time.time()
        while time.time()-t<to:
            if until(s.conns[i]): return True
            try: d=c.recv(65536)
            except socket.timeout: continue
            except OSError: return False
            if not d: s.events.append((i,'eof')); return False
            s.conns[i]+=d
        return until(s.conns[i])
    def h(s,c,i):
        try: s.script(s,c,i)
        except OSError: pass
        finally:
            try: c.close()
            except OSError: pass
HDR=lambda b: b'\r\n\r\n' in b
def body_done(b):
    if not HDR(b): return False
    h,_,r=b.partition(b'\r\n\r\n'); hl=h.lower()
    if b'transfer-encoding' in hl: return r.endswith(b'0\r\n\r\n') or re.search(rb'0\r\n([^\r\n]+\r\n)*\r\n$',r) is not None
    m=re.search(rb'content-length:\s*(\d+)',hl)
    return len(r)>=int(m.group(1)) if m else True
def simple(resp,until=body_done,close=False):
    def f(o,c,i):
        n=0
        while o.rd(c,i,lambda b:until(b[n:]),TO):
            c.sendall(resp); n=len(o.conns[i])
            if close: return
    return f
OK=b'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'
def client(port,steps,to=TO):
    c=socket.create_connection(('127.0.0.1',port)); c.settimeout(0.05); out=b''; t0=time.time(); closed=False
    for st in steps:
        if isinstance(st,(int,float)): 
            te=time.time()+st
            while time.time()<te:
                try:
                    d=c.recv(65536)
                    if not d: closed=True;break
                    out+=d
                except socket.timeout: pass
                except OSError: closed=True;break
        else:
            try: c.sendall(st)
            except OSError: break
    te=time.time()+to
    while time.time()<te and not closed:
        try: d=c.recv(65536)
        except socket.timeout:
            continue
        except OSError: closed=True;break
        if not d: closed=True;break
        out+=d
    c.close(); return out,closed,time.time()-t0
def st(out):
    l=re.findall(rb'HTTP/1\.[01] (\d{3})',out); return '/'.join(x.decode() for x in l) or ('-' if not out else 'raw')
def up(o): return b''.join(o.conns)
def has(b,pat): return re.search(pat,b,re.I|re.M) is not None
CASES=[]
def case(f): CASES.append(f); return f
def go(port,req,script,host='127.0.0.1',steps=None,**k):
    o=Origin(script,host); a=(f'[{host}]' if ':' in host else host)+f':{o.port}'
    fmt=lambda x: x if isinstance(x,(int,float)) else x.replace(b'{O}',a.encode())
    r=client(port,[fmt(x) for x in (steps or [req])],**k); time.sleep(0.1); o.l.close(); return o,r
@case
def C01_inject_replace(p):
    "client already sends the injected header"
    o,(out,_,_)=go(p,b'GET http://{O}/ HTTP/1.1\r\nHost: {O}\r\nX-Visitor-Test: spoof\r\n\r\n',simple(OK),to=0.8)
    v=re.findall(rb'x-visitor-test:\s*([^\r\n]*)',up(o),re.I); return '+'.join(x.decode() for x in v) or 'none'
@case
def C02_origin_form(p):
    "request-target form sent to the origin + Host"
    o,(out,_,_)=go(p,b'GET http://{O}/a%2Fb/../c?q=%7e HTTP/1.1\r\nHost: wrong.test\r\n\r\n',simple(OK),to=0.8)
    u=up(o); m=re.match(rb'(\S+) (\S+)',u); h=re.findall(rb'^host:\s*([^\r\n]*)',u,re.I|re.M)
    return (m.group(2).decode()[:26] if m else st(out))+' host='+('ok' if h and b'127.0.0.1' in h[0] and len(h)==1 else (h[0].decode() if h else 'none'))
@case
def C03_userinfo(p):
    "absolute-form with userinfo"
    o,(out,_,_)=go(p,b'GET http://u:p@{O}/ HTTP/1.1\r\nHost: {O}\r\n\r\n',simple(OK),to=0.8)
    u=up(o); return st(out)+(' leak' if b'u:p@' in u else '')+(' auth' if has(u,rb'^authorization:') else '')
@case
def C04_no_host_11(p):
    o,(out,_,_)=go(p,b'GET http://{O}/ HTTP/1.1\r\n\r\n',simple(OK),to=0.8); return st(out)
@case
def C05_two_host(p):
    o,(out,_,_)=go(p,b'GET http://{O}/ HTTP/1.1\r\nHost: {O}\r\nHost: evil.test\r\n\r\n',simple(OK),to=0.8); return st(out)+(' fwd2' if len(re.findall(rb'^host:',up(o),re.I|re.M))>1 else '')
@case
def C06_hopbyhop(p):
    "Connection-nominated, Keep-Alive, Proxy-Connection, Proxy-Authorization, TE"
    o,_=go(p,b'GET http://{O}/ HTTP/1.1\r\nHost: {O}\r\nConnection: x-hop, keep-alive\r\nX-Hop: 1\r\nKeep-Alive: timeout=5\r\nProxy-Connection: keep-alive\r\nProxy-Authorization: Basic eA==\r\nTE: trailers\r\nX-End: 1\r\n\r\n',simple(OK),to=0.8)
    u=up(o); l=[n for n,q in (('X-Hop',rb'^x-hop:'),('KA',rb'^keep-alive:'),('PxConn',rb'^proxy-connection:'),('PxAuth',rb'^proxy-authorization:'),('TE',rb'^te:')) if has(u,q)]
    if 'TE' in l and has(u,rb'^te: *trailers\r') and has(u,rb'^connection:.*\bte\b'): l.remove('TE') # our own, for the next hop
    return 'leaks '+','.join(l) if l else ('clean' if has(u,rb'^x-end:') else 'no-fwd')
@case
def C07_via(p):
    o,(out,_,_)=go(p,b'GET http://{O}/ HTTP/1.1\r\nHost: {O}\r\n\r\n',simple(OK),to=0.8)
    return ('req ' if has(up(o),rb'^via:') else '')+('resp' if has(out,rb'^via:') else '') or 'none'
@case
def C08_loop(p):
    "request for the proxy itself (self loop)"
    out,cl,dt=client(p,[b'GET http://127.0.0.1:%d/ HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: close\r\n\r\n'%(p,p)],to=3); return st(out)[:16]+' %.1fs'%dt
@case
def C09_maxfwd0(p):
    o,(out,_,_)=go(p,b'TRACE http://{O}/ HTTP/1.1\r\nHost: {O}\r\nMax-Forwards: 0\r\n\r\n',simple(OK),to=0.8); 
    o2,(out2,_,_)=go(p,b'OPTIONS http://{O}/ HTTP/1.1\r\nHost: {O}\r\nMax-Forwards: 5\r\n\r\n',simple(OK),to=0.8)
    m=re.search(rb'max-forwards:\s*(\d+)',up(o2),re.I); return ('fwd!' if up(o) else st(out))+' dec='+(m.group(1).decode() if m else '?')
@case
def C10_keepalive2(p):
    "two sequential requests on one client connection; upstream connections used"
    o,(out,_,_)=go(p,None,simple(OK),steps=[b'GET http://{O}/1 HTTP/1.1\r\nHost: {O}\r\n\r\n',0.4,b'GET http://{O}/2 HTTP/1.1\r\nHost: {O}\r\n\r\n',0.6],to=0.3); return '%d resp, %d up-conn'%(len(re.findall(rb'HTTP/1\.[01] 200',out)),len([x for x in o.conns if x]))
@case
def C11_pipeline3(p):
    o,(out,_,_)=go(p,b''.join(b'GET http://{O}/%d HTTP/1.1\r\nHost: {O}\r\n\r\n'%i for i in range(3)),simple(OK),to=1.5); return '%d/3'%len(re.findall(rb'HTTP/1\.[01] 200',out))
@case
def C13_100_relay(p):
    def s(o,c,i):
        o.rd(c,i,HDR,1.5); c.sendall(b'HTTP/1.1 100 Continue\r\n\r\n'); o.rd(c,i,body_done,1.5); c.sendall(OK)
    o,(out,_,_)=go(p,None,s,steps=[b'POST http://{O}/ HTTP/1.1\r\nHost: {O}\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n',0.8,b'hello',0.5],to=0.8); return st(out)+(' body' if b'hello' in up(o) else ' nobody')
@case
def C14_103(p):
    def s(o,c,i):
        o.rd(c,i,HDR,1.5); c.sendall(b'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'); time.sleep(.1); c.sendall(OK); time.sleep(.3)
    o,(out,_,_)=go(p,b'GET http://{O}/ HTTP/1.1\r\nHost: {O}\r\n\r\n',s,to=1); return st(out)+(' ok' if out.endswith(b'ok') else ' BROKEN')
@case
def C15_resp_trailers(p):
    o,(out,_,_)=go(p,b'GET http://{O}/ HTTP/1.1\r\nHost: {O}\r\nTE: trailers\r\n\r\n',simple(b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-T\r\n\r\n3\r\nabc\r\n0\r\nX-T: v\r\n\r\n'),to=0.9); return ('kept' if has(out,rb'^x-t: v') else 'dropped')+(' chunked' if has(out,rb'^transfer-encoding') else ' dechunked')+('' if b'abc' in out else ' NOBODY')
@case
def C16_req_trailers(p):
    o,(out,_,_)=go(p,b'POST http://{O}/ HTTP/1.1\r\nHost: {O}\r\nTransfer-Encoding: chunked\r\nTrailer: X-T\r\n\r\n3\r\nabc\r\n0\r\nX-T: v\r\n\r\n',simple(OK),to=1.2); return st(out)+(' kept' if has(up(o),rb'^x-t: v') else ' dropped')
@case
def C17_CL_TE(p):
    o,(out,cl,_)=go(p,b'POST http://{O}/ HTTP/1.1\r\nHost: {O}\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n',simple(OK),to=1.2); u=up(o); return st(out)+(' BOTH' if has(u,rb'^content-length') and has(u,rb'^transfer-encoding') else '')+(' closed' if cl else '')
@case
def C19_dup_CL(p):
    r=[]
    for h in (b'Content-Length: 5\r\nContent-Length: 6',b'Content-Length: 5\r\nContent-Length: 5',b'Content-Length: 5, 5',b'Content-Length: +5',b'Content-Length: 0x5',b'Content-Length:'):
        o,(out,_,_)=go(p,b'POST http://{O}/ HTTP/1.1\r\nHost: {O}\r\n'+h+b'\r\n\r\nhello',simple(OK,until=HDR),to=0.6); r.append('f%d'%len(re.findall(rb'^content-length',up(o),re.I|re.M)) if up(o) else st(out)[:3])
    return ' '.join(r)
@case
def C20_obsfold(p):
    o,(out,_,_)=go(p,b'GET http://{O}/ HTTP/1.1\r\nHost: {O}\r\nX-A: a\r\n b\r\n\r\n',simple(OK),to=0.8); u=up(o); return ('FOLD-FWD' if b'X-A: a\r\n b' in u or b'x-a: a\r\n b' in u else 'joined' if has(u,rb'^x-a: a +b') else 'fwd?' if u else st(out))
@case
def C21_lf_only(p):
    o,(out,_,_)=go(p,b'GET http://{O}/ HTTP/1.1\nHost: {O}\nX-A: b\n\n',simple(OK),to=0.8); u=up(o); return ('norm' if u and b'\r\n' in u and not re.search(rb'[^\r]\n',u) else 'RAW-LF' if u else st(out))
@case
def C23_space_colon(p):
    o,(out,_,_)=go(p,b'GET http://{O}/ HTTP/1.1\r\nHost: {O}\r\nX-A : b\r\n\r\n',simple(OK),to=0.8); u=up(o); return ('SPC-FWD' if b'X-A :' in u or b'x-a :' in u else 'stripped' if u and has(u,rb'^x-a:') else 'dropped' if u else st(out))
@case
def C24_nul_ctl(p):
    r=[]
    for b in (b'\x00',b'\x01',b'\x7f',b'\xe9',b'\xc3\xa9'):
        o,(out,_,_)=go(p,b'GET http://{O}/ HTTP/1.1\r\nHost: {O}\r\nX-A: a'+b+b'b\r\n\r\n',simple(OK),to=0.6); u=up(o); r.append('F' if b'a'+b+b'b' in u else 'chg' if u else st(out)[:3])
    return ' '.join(r)
@case
def C26_head_cl(p):
    def s(o,c,i):
        n=0
        while o.rd(c,i,lambda b:HDR(b[n:]),TO):
            q=o.conns[i][n:]; n=len(o.conns[i]); c.sendall(b'HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n' if q.startswith(b'HEAD') else OK)
    o,(out,_,_)=go(p,None,s,steps=[b'HEAD http://{O}/ HTTP/1.1\r\nHost: {O}\r\n\r\n',0.4,b'GET http://{O}/ HTTP/1.1\r\nHost: {O}\r\n\r\n',0.5],to=0.4); return st(out)+(' CL99' if has(out,rb'^content-length: 99') else ' CL-lost')
@case
def C28_eof_body(p):
    "close-delimited response"
    def s(o,c,i): o.rd(c,i,HDR); c.sendall(b'HTTP/1.1 200 OK\r\n\r\nabc'); time.sleep(.2); c.sendall(b'def')
    o,(out,cl,_)=go(p,b'GET http://{O}/ HTTP/1.1\r\nHost: {O}\r\n\r\n',s,to=1.2); b=out.partition(b'\r\n\r\n')[2]; return ('chunked' if has(out,rb'^transfer-encoding: chunked') else 'close')+(' ok' if (b==b'abcdef' or (b'abc' in b and b'def' in b)) else ' LOST')+(' closed' if cl else ' open')
@case
def C29_truncated_cl(p):
    def s(o,c,i): o.rd(c,i,HDR); c.sendall(b'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc')
    o,(out,cl,_)=go(p,b'GET http://{O}/ HTTP/1.1\r\nHost: {O}\r\n\r\n',s,to=1.2); return st(out)+(' CL10' if has(out,rb'^content-length: 10') else '')+(' closed' if cl else ' HANG')+(' LIE' if has(out,rb'^content-length: 3') or out.endswith(b'0\r\n\r\n') else '')
@case
def C30_truncated_chunk(p):
    def s(o,c,i): o.rd(c,i,HDR); c.sendall(b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n5\r\nde')
    o,(out,cl,_)=go(p,b'GET http://{O}/ HTTP/1.1\r\nHost: {O}\r\n\r\n',s,to=1.2); return st(out)+(' closed' if cl else ' HANG')+(' LIE' if out.endswith(b'0\r\n\r\n') or has(out,rb'^content-length') and st(out)=='200' else '')
@case
def C32_early_resp(p):
    "413 sent while a 4 MB upload is in flight"
    def s(o,c,i):
        o.rd(c,i,HDR); c.sendall(b'HTTP/1.1 413 Big\r\nContent-Length: 3\r\nConnection: close\r\n\r\nbig'); time.sleep(.3)
    o,(out,_,_)=go(p,None,s,steps=[b'POST http://{O}/ HTTP/1.1\r\nHost: {O}\r\nContent-Length: 4000000\r\n\r\n'+b'x'*65536]+[b'x'*65536]*59,to=1.5); return st(out)+(' body' if b'big' in out else '')
@case
def C34_bighdr(p):
    r=[]
    for n in (8000,20000,60000,200000):
        o,(out,_,_)=go(p,b'GET http://{O}/ HTTP/1.1\r\nHost: {O}\r\nX-Big: '+b'a'*n+b'\r\n\r\n',simple(OK),to=1); r.append(st(out)[:3])
    return ' '.join(r)
@case
def C35_manyhdr(p):
    r=[]
    for n in (90,500,5000):
        o,(out,_,_)=go(p,b'GET http://{O}/ HTTP/1.1\r\nHost: {O}\r\n'+b''.join(b'X-%d: 1\r\n'%i for i in range(n))+b'\r\n',simple(OK),to=1); r.append(st(out)[:3])
    return ' '.join(r)
@case
def C36_upgrade_ws(p):
    "valid WebSocket handshake and one frame each way"
    def s(o,c,i):
        o.rd(c,i,HDR); c.sendall(b'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n\x81\x03SRV'); o.rd(c,i,lambda b:b'CLI' in b or len(b.partition(b"\r\n\r\n")[2])>6,1.5); time.sleep(.2)
    o,(out,_,_)=go(p,None,s,steps=[b'GET http://{O}/ HTTP/1.1\r\nHost: {O}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n',0.5,b'\x81\x83\0\0\0\0CLI',0.5],to=0.4); return st(out)+(' s2c' if b'SRV' in out else '')+(' c2s' if len(up(o).partition(b"\r\n\r\n")[2])>6 else '')
@case
def C01b_inject_plain(p):
    o,(out,_,_)=go(p,b'GET http://{O}/ HTTP/1.1\r\nHost: {O}\r\n\r\n',simple(OK),to=0.8)
    v=re.findall(rb'x-visitor-test:\s*([^\r\n]*)',up(o),re.I); return '+'.join(x.decode() for x in v) or 'none'
@case
def C37_upgrade_h2c(p):
    o,(out,_,_)=go(p,b'GET http://{O}/ HTTP/1.1\r\nHost: {O}\r\nUpgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABk\r\n\r\n',simple(OK),to=0.8); u=up(o); return 'fwd-h2c' if has(u,rb'^upgrade: *h2c') else 'stripped' if u else st(out)
def tun(o,c,i):
    o.rd(c,i,lambda b:b'PING' in b,1.5); c.sendall(b'PONG'); o.rd(c,i,lambda b:b'END' in b,1.5); time.sleep(.2)
@case
def C38_connect(p):
    o,(out,_,_)=go(p,None,tun,steps=[b'CONNECT {O} HTTP/1.1\r\nHost: {O}\r\n\r\n',0.5,b'PING',0.4],to=0.3); h=out.partition(b'\r\n\r\n')[0]; return st(out)+(' pong' if b'PONG' in out else '')+(' CL/TE' if has(h,rb'^(content-length|transfer-encoding)') else '')
@case
def C39_connect_early(p):
    "tunnel bytes in the same segment as CONNECT"
    o,(out,_,_)=go(p,b'CONNECT {O} HTTP/1.1\r\nHost: {O}\r\n\r\nPING',tun,to=1.2); return st(out)+(' pong' if b'PONG' in out else ' LOST')
@case
def C41_connect_bad(p):
    r=[]
    for t in (b'127.0.0.1',b'127.0.0.1:0',b'127.0.0.1:99999',b'127.0.0.1:',b':443',b'http://127.0.0.1:1/'):
        out,_,_=client(p,[b'CONNECT '+t+b' HTTP/1.1\r\nHost: a\r\n\r\n'],to=0.9); r.append(st(out)[:3])
    return ' '.join(r)
@case
def C42_ipv6(p):
    try: o,(out,_,_)=go(p,b'GET http://{O}/ HTTP/1.1\r\nHost: {O}\r\n\r\n',simple(OK),host='::1',to=1)
    except OSError as e: return 'n/a'
    h=re.search(rb'^host:\s*([^\r\n]*)',up(o),re.I|re.M); o2,(out2,_,_)=go(p,None,tun,host='::1',steps=[b'CONNECT {O} HTTP/1.1\r\nHost: {O}\r\n\r\n',0.4,b'PING',0.4],to=0.3); return st(out)+(' hostok' if h and h.group(1).startswith(b'[::1]') else '')+' C:'+st(out2)
@case
def C44_gzip(p):
    g=bytes.fromhex('1f8b0800000000000003cb cf0600 47dddc79 02000000'.replace(' ',''))
    o,(out,_,_)=go(p,b'GET http://{O}/ HTTP/1.1\r\nHost: {O}\r\nAccept-Encoding: gzip, br\r\n\r\n',simple(b'HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n'%len(g)+g),to=0.8); m=re.search(rb'accept-encoding:\s*([^\r\n]*)',up(o),re.I); return ('AE='+(m.group(1).decode() if m else 'DROPPED'))+(' body=same' if out.endswith(g) else ' body=CHANGED')
@case
def C45_case_order(p):
    o,_=go(p,b'GET http://{O}/ HTTP/1.1\r\nHost: {O}\r\nx-lower: 1\r\nX-UPPER: 2\r\nX-lower: 3\r\n\r\n',simple(OK),to=0.8); u=up(o); a=u.find(b'x-lower: 1'); b=u.find(b'X-UPPER: 2'); return 'kept' if 0<=a<b else ('case-changed' if has(u,rb'^x-upper: 2') else 'lost')
@case
def C46_resp_hop(p):
    o,(out,_,_)=go(p,b'GET http://{O}/ HTTP/1.1\r\nHost: {O}\r\n\r\n',simple(b'HTTP/1.1 200 OK\r\nConnection: x-hop\r\nX-Hop: 1\r\nKeep-Alive: timeout=9\r\nContent-Length: 2\r\n\r\nok'),to=0.8); l=[n for n,q in (('X-Hop',rb'^x-hop:'),('KA',rb'^keep-alive: *timeout=9')) if has(out,q)]; return 'leaks '+','.join(l) if l else 'clean'
@case
def C48_garbage_resp(p):
    def s(o,c,i): o.rd(c,i,HDR); c.sendall(b'NOT HTTP AT ALL\r\n\r\n'); time.sleep(.1)
    o,(out,cl,_)=go(p,b'GET http://{O}/ HTTP/1.1\r\nHost: {O}\r\n\r\n',s,to=1.2); return st(out)
@case
def C49_refused(p):
    s=socket.socket(); s.bind(('127.0.0.1',0)); q=s.getsockname()[1]; s.close()
    out,_,_=client(p,[b'GET http://127.0.0.1:%d/ HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n'%(q,q)],to=2); out2,_,_=client(p,[b'CONNECT 127.0.0.1:%d HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n'%(q,q)],to=2); return st(out)+' C:'+st(out2)
@case
def C51_slow_header(p):
    "header bytes never complete: seconds until proxy gives up (cap 4 s)"
    out,cl,dt=client(p,[b'GET http://127.0.0.1:1/ HTTP/1.1\r\nHost: 1'],to=4); return (st(out)+' ' if out else '')+('closed %.1fs'%dt if cl else '>4s')
if __name__=='__main__':
    tg=[a.split('=') for a in sys.argv[1:] if '=' in a and not a.startswith('-')]; only=[a[2:] for a in sys.argv if a.startswith('-k')]
    res={}; matrix='-m' in sys.argv
    if not tg: sys.exit(__doc__)
    if matrix: print('Read as probe: '+' | '.join(n for n,_ in tg),flush=True)
    for f in CASES:
        if only and not any(k in f.__name__ for k in only): continue
        row={}
        for n,p in tg:
            try: row[n]=f(int(p))
            except Exception as e: row[n]='ERR '+type(e).__name__
        res[f.__name__]=row; i,_,w=f.__name__.partition('_')
        print(f'- `{i}` {f.__doc__ or w}: '+' | '.join(row.values()) if matrix else f.__name__+' '+json.dumps(row),flush=True)
    out=[a[2:] for a in sys.argv if a.startswith('-o')]
    if out: json.dump(res,open(out[0],'w'),indent=0)
