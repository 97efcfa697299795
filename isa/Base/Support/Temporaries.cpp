#include "isa/Base/Support/Temporaries.h"

#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <mutex>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tilerig {

namespace {

// A list entry for the path of a temporary file that a signal handler has to remove. The handler may
// interrupt any thread at any point, so it takes no lock and frees no memory. Handler and threads claim a
// path by replacing it in the list by null. List entries are reused and never freed.
struct Slot {
  std::atomic<char *> path = nullptr;
  Slot *next = nullptr;
};
std::atomic<Slot *> slots = nullptr;
std::mutex slotsMutex; // protects the list between threads; the signal handler does not lock it

void remember(const std::string &path) {
  const std::lock_guard lock(slotsMutex);
  Slot *slot = slots;
  while (slot && slot->path)
    slot = slot->next;
  if (!slot) {
    slot = new Slot{.next = slots};
    slots = slot;
  }
  slot->path = ::strdup(path.c_str());
}

void onSignal(int signal) {
  const int code = errno;
  for (Slot *slot = slots; slot; slot = slot->next)
    if (const char *path = slot->path.exchange(nullptr))
      ::unlink(path);
  errno = code;
  ::raise(signal); // SA_RESETHAND has restored the default action, which runs once this handler returns
}

bool isSameFile(int fd, const char *path) {
  struct stat open = {}, named = {};
  return ::fstat(fd, &open) == 0 && ::lstat(path, &named) == 0 && open.st_dev == named.st_dev &&
         open.st_ino == named.st_ino;
}

// Removes a temporary file unless it is locked by the process that writes it. While this process holds the
// lock, no other can rename the file, so the path still names the file that was opened.
void removeIfAbandoned(const std::string &path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0)
    return;
  struct stat info = {};
  if (::fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && ::flock(fd, LOCK_EX | LOCK_NB) == 0 &&
      isSameFile(fd, path.c_str()))
    ::unlink(path.c_str());
  ::close(fd);
}

bool takeNumber(std::string_view &text) {
  unsigned long long number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc())
    return false;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return true;
}

bool takeText(std::string_view &text, std::string_view prefix) {
  if (!text.starts_with(prefix))
    return false;
  text.remove_prefix(prefix.size());
  return true;
}

bool isTemporaryOf(std::string_view fileName, std::string_view target) {
  return takeText(fileName, target) && takeText(fileName, ".") && takeNumber(fileName) &&
         takeText(fileName, ".") && takeNumber(fileName) && fileName == ".tmp";
}

void removeAbandoned(const std::string &target) {
  const size_t slash = target.rfind('/');
  const std::string folder = slash == std::string::npos ? "./" : target.substr(0, slash + 1);
  // If there is no '/', `slash` is npos, and npos + 1 is 0.
  const std::string_view name = std::string_view(target).substr(slash + 1);
  DIR *directory = ::opendir(folder.c_str());
  if (!directory)
    return;
  while (const dirent *entry = ::readdir(directory))
    if (isTemporaryOf(entry->d_name, name))
      removeIfAbandoned(folder + entry->d_name);
  ::closedir(directory);
}

// Locks a newly created file; returns false if another process has locked or removed it. Another process that
// removes abandoned files may do so between the creation and the locking. On file systems without locks no
// process removes files, and the result is true.
bool lock(int fd) {
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0)
    return errno != EWOULDBLOCK;
  struct stat info = {};
  return ::fstat(fd, &info) == 0 && info.st_nlink > 0;
}

} // namespace

Temporary createTemporary(const std::string &target) {
  removeAbandoned(target);
  for (int attempt = 0;; ++attempt) {
    std::string path = fmt::format("{}.{}.{}.tmp", target, ::getpid(), attempt);
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0 && errno == EEXIST)
      continue;
    if (fd < 0)
      return {};
    if (lock(fd)) {
      remember(path);
      return {std::move(path), fd};
    }
    ::close(fd);
  }
}

void forgetTemporary(const std::string &path) {
  const std::lock_guard lock(slotsMutex);
  for (Slot *slot = slots; slot; slot = slot->next) {
    char *slotPath = slot->path;
    if (slotPath && path == slotPath) {
      std::free(slot->path.exchange(nullptr));
      return;
    }
  }
}

void removeTemporariesOnSignals() {
  struct sigaction action = {}, before = {};
  action.sa_handler = onSignal;
  action.sa_flags = SA_RESETHAND;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    if (::sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_DFL)
      ::sigaction(signal, &action, nullptr);
}

} // namespace tilerig
