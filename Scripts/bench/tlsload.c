// tlsload PROXYPORT HOST:PORT PATH CONNECTIONS THREADS REQUESTS
//
// Each connection: TCP to 127.0.0.1:PROXYPORT, CONNECT HOST:PORT, TLS handshake (not verified, SNI is the host),
// REQUESTS times GET PATH, close. Prints `N ok N failed S s`.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static int proxy_port, per_thread, requests;
static const char *target, *path;
static char host[256];
static SSL_CTX *context;
static long succeeded, failed;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

// CONNECT through the proxy: reads byte by byte so that nothing of the tunnel is taken.
static int open_tunnel(int s) {
  char b[4096];
  int n = snprintf(b, sizeof b, "CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n", target, target), k = 0;
  if (write(s, b, n) != n) return 0;
  while (k < (int)sizeof b - 1) {
    if (read(s, b + k, 1) <= 0) return 0;
    b[++k] = 0;
    if (k >= 4 && !memcmp(b + k - 4, "\r\n\r\n", 4)) return strstr(b, " 200") != NULL;
  }
  return 0;
}

static int get(SSL *ssl) {
  char b[65536];
  int n = snprintf(b, sizeof b, "GET %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: tlsload\r\nAccept: */*\r\n\r\n", path, target);
  if (SSL_write(ssl, b, n) != n) return 0;
  int k = 0;
  char *end = NULL;
  while (!end) {
    int g = SSL_read(ssl, b + k, sizeof b - 1 - k);
    if (g <= 0) return 0;
    b[k += g] = 0;
    end = strstr(b, "\r\n\r\n");
  }
  if (strncmp(b, "HTTP/1.1 200", 12)) return 0;
  char *length = strcasestr(b, "content-length:");
  if (!length) return 0;
  long left = atol(length + 15) - (k - (end + 4 - b));
  while (left > 0) {
    int g = SSL_read(ssl, b, sizeof b);
    if (g <= 0) return 0;
    left -= g;
  }
  return 1;
}

static int one_connection(void) {
  int s = socket(AF_INET, SOCK_STREAM, 0), yes = 1, good = 0;
  struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(proxy_port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  struct timeval limit = {10, 0};
  setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  if (connect(s, (void *)&a, sizeof a) == 0 && open_tunnel(s)) {
    SSL *ssl = SSL_new(context);
    SSL_set_fd(ssl, s);
    SSL_set_tlsext_host_name(ssl, host);
    good = SSL_connect(ssl) == 1;
    for (int i = 0; good && i < requests; i++) good = get(ssl);
    SSL_free(ssl);
  }
  close(s);
  return good;
}

static void *work(void *unused) {
  (void)unused;
  long good = 0;
  for (int i = 0; i < per_thread; i++) good += one_connection();
  pthread_mutex_lock(&lock);
  succeeded += good;
  failed += per_thread - good;
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(int count, char **arguments) {
  if (count != 7) {
    fprintf(stderr, "usage: tlsload PROXYPORT HOST:PORT PATH CONNECTIONS THREADS REQUESTS\n");
    return 64;
  }
  proxy_port = atoi(arguments[1]);
  target = arguments[2];
  path = arguments[3];
  int threads = atoi(arguments[5]);
  if (threads < 1 || threads > 64) return 64;
  per_thread = atoi(arguments[4]) / threads;
  requests = atoi(arguments[6]);
  snprintf(host, sizeof host, "%s", target);
  char *colon = strrchr(host, ':');
  if (!colon) return 64;
  *colon = 0;
  context = SSL_CTX_new(TLS_client_method());
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  pthread_t ids[64];
  double started = now();
  for (int i = 0; i < threads; i++) pthread_create(&ids[i], NULL, work, NULL);
  for (int i = 0; i < threads; i++) pthread_join(ids[i], NULL);
  printf("%ld ok %ld failed %.3f s\n", succeeded, failed, now() - started);
  return failed != 0;
}
