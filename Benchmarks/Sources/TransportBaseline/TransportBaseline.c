#include "TransportBaseline.h"

#include <curl/curl.h>
#include <stdlib.h>

static size_t count_bytes(char *bytes, size_t size, size_t count, void *total) {
  (void)bytes;
  *(long *)total += (long)(size * count);
  return size * count;
}

static CURL *make_handle(const char *url, long *total) {
  CURL *easy = curl_easy_init();
  if (!easy) return NULL;
  curl_easy_setopt(easy, CURLOPT_URL, url);
  curl_easy_setopt(easy, CURLOPT_PROXY, "");
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 1L);
  curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, 64L * 1024);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, count_bytes);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, total);
  return easy;
}

long baseline_sequential(const char *url, long count) {
  long total = 0;
  CURL *easy = make_handle(url, &total);
  for (long done = 0; easy && done < count; done++) {
    if (curl_easy_perform(easy) != CURLE_OK) total = -1;
    if (total < 0) break;
  }
  curl_easy_cleanup(easy);
  return total;
}

long baseline_concurrent(const char *url, long count, int width) {
  long total = 0, started = 0, done = 0;
  CURLM *multi = curl_multi_init();
  CURL **handles = calloc((size_t)width, sizeof *handles);
  for (int index = 0; index < width && started < count; index++, started++) {
    handles[index] = make_handle(url, &total);
    curl_multi_add_handle(multi, handles[index]);
  }
  while (done < count && total >= 0) {
    int running = 0, left = 0;
    curl_multi_perform(multi, &running);
    CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left))) {
      CURL *easy = message->easy_handle;
      if (message->data.result != CURLE_OK) total = -1;
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
    if (!handles[index]) continue;
    curl_multi_remove_handle(multi, handles[index]);
    curl_easy_cleanup(handles[index]);
  }
  free(handles);
  curl_multi_cleanup(multi);
  return total;
}
