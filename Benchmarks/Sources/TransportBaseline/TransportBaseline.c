#include "TransportBaseline.h"

#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>

/// An easy handle and what a caller receives: the head in memory, the content as it arrives.
struct client {
  CURL *easy;
  long *total;
  char *head;
  size_t head_count, head_capacity;
};

static size_t keep_head(char *bytes, size_t size, size_t count, void *context) {
  struct client *client = context;
  size_t added = size * count;
  if (client->head_count + added > client->head_capacity) {
    client->head_capacity = 2 * (client->head_count + added);
    char *larger = realloc(client->head, client->head_capacity);
    if (!larger) return 0;
    client->head = larger;
  }
  memcpy(client->head + client->head_count, bytes, added);
  client->head_count += added;
  return added;
}

static size_t count_content(char *bytes, size_t size, size_t count, void *context) {
  (void)bytes;
  *((struct client *)context)->total += (long)(size * count);
  return size * count;
}

static int open_client(
    struct client *client, const char *url, const char *authorities, long *total) {
  CURL *easy = curl_easy_init();
  *client = (struct client){easy, total, NULL, 0, 0};
  if (!easy) return 0;
  curl_easy_setopt(easy, CURLOPT_URL, url);
  curl_easy_setopt(easy, CURLOPT_PROXY, "");
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 1L);
  curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, 64L * 1024);
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, keep_head);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, client);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, count_content);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, client);
  curl_easy_setopt(easy, CURLOPT_PRIVATE, client);
  curl_easy_setopt(easy, CURLOPT_CAINFO, authorities);
  // Requests wait for a connection that they can share.
  curl_easy_setopt(easy, CURLOPT_PIPEWAIT, 1L);
  return 1;
}

static void close_client(struct client *client) {
  curl_easy_cleanup(client->easy);
  free(client->head);
}

/// Ends a response. A caller would take its head here.
static void finish(struct client *client) {
  if (client->head_count == 0) *client->total = -1;
  client->head_count = 0;
}

long baseline_sequential(const char *url, const char *authorities, long count) {
  long total = 0;
  struct client client;
  if (!open_client(&client, url, authorities, &total)) return -1;
  for (long done = 0; done < count && total >= 0; done++) {
    if (curl_easy_perform(client.easy) != CURLE_OK) total = -1;
    finish(&client);
  }
  close_client(&client);
  return total;
}

long baseline_concurrent(const char *url, const char *authorities, long count, int width) {
  long total = 0, started = 0, done = 0;
  CURLM *multi = curl_multi_init();
  struct client *clients = calloc((size_t)width, sizeof *clients);
  if (!multi || !clients) return -1;
  for (int index = 0; index < width && started < count; index++, started++) {
    if (!open_client(&clients[index], url, authorities, &total)) return -1;
    curl_multi_add_handle(multi, clients[index].easy);
  }
  while (done < count && total >= 0) {
    int running = 0, left = 0;
    curl_multi_perform(multi, &running);
    CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left))) {
      CURL *easy = message->easy_handle;
      struct client *client;
      curl_easy_getinfo(easy, CURLINFO_PRIVATE, &client);
      if (message->data.result != CURLE_OK) total = -1;
      finish(client);
      done++;
      curl_multi_remove_handle(multi, easy);
      if (started < count) {
        curl_multi_add_handle(multi, easy);
        started++;
      }
    }
    if (done < count) curl_multi_poll(multi, NULL, 0, 1000, NULL);
  }
  for (int index = 0; index < width; index++) {
    if (!clients[index].easy) continue;
    curl_multi_remove_handle(multi, clients[index].easy);
    close_client(&clients[index]);
  }
  free(clients);
  curl_multi_cleanup(multi);
  return total;
}
