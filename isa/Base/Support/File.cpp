#include "isa/Base/Support/File.h"

#include "isa/Base/Support/Temporaries.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fmt/core.h>
#include <map>
#include <mutex>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tilerig {

namespace {

// The mappings of all MappedFile objects: the size of each by its first address.
class Mappings {
public:
  void add(const void *address, size_t size) {
    const std::lock_guard lock(mutex);
    sizes[reinterpret_cast<uintptr_t>(address)] = size;
  }
  void remove(const void *address) {
    const std::lock_guard lock(mutex);
    sizes.erase(reinterpret_cast<uintptr_t>(address));
  }
  bool hold(uintptr_t begin, uintptr_t end) const {
    const std::lock_guard lock(mutex);
    const auto after = sizes.upper_bound(begin);
    return after != sizes.begin() && end <= std::prev(after)->first + std::prev(after)->second;
  }

private:
  mutable std::mutex mutex;
  std::map<uintptr_t, size_t> sizes;
};

Mappings &mappings() {
  static Mappings &all = *new Mappings; // never destroyed, since files in static objects may outlive it
  return all;
}

} // namespace

static Error systemError(const std::string &path, const char *doing, int code) {
  return invalidInput(path, std::string(doing) + ": " + std::strerror(code));
}

Result<MappedFile> MappedFile::open(const std::string &path) {
  // Without O_NONBLOCK, opening a pipe would block until it has a writer.
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return systemError(path, "cannot open", errno);
  struct stat info = {};
  if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    ::close(fd);
    return invalidInput(path, S_ISDIR(info.st_mode) ? "this is a folder, not a file"
                                                    : "this is not a regular file");
  }
  MappedFile file;
  file.size = static_cast<size_t>(info.st_size);
  if (file.size) {
    void *address = ::mmap(nullptr, file.size, PROT_READ, MAP_PRIVATE, fd, 0);
    int code = errno;
    ::close(fd);
    if (address == MAP_FAILED)
      return systemError(path, "cannot map into memory", code);
    file.address = address;
    mappings().add(address, file.size);
  } else {
    ::close(fd);
  }
  return file;
}

MappedFile::MappedFile(MappedFile &&other) noexcept
    : address(std::exchange(other.address, nullptr)), size(std::exchange(other.size, 0)) {}

MappedFile &MappedFile::operator=(MappedFile &&other) noexcept {
  std::swap(address, other.address);
  std::swap(size, other.size);
  return *this;
}

MappedFile::~MappedFile() {
  if (!address)
    return;
  mappings().remove(address);
  ::munmap(address, size);
}

void releasePages(std::span<const std::byte> bytes) {
  const auto page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<uintptr_t>(bytes.data()), end = begin + bytes.size();
  // only whole pages, as other tensors may use the rest
  const uintptr_t first = (begin + page - 1) / page * page, last = end / page * page;
  if (first < last && mappings().hold(begin, end))
    ::madvise(reinterpret_cast<void *>(first), last - first, MADV_DONTNEED);
}

static std::string parentOf(const std::string &path) {
  size_t slash = path.rfind('/');
  if (slash == std::string::npos)
    return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// The file descriptor that a path such as /dev/stdout stands for, or -1. Opening the path anew would write
// from offset 0 of the file to which the shell has redirected the stream, and replacing that file would lose
// what other commands have written to it.
static int standardStream(const std::string &path) {
  if (path == "/dev/stdout")
    return STDOUT_FILENO;
  if (path == "/dev/stderr")
    return STDERR_FILENO;
  for (std::string_view folder : {"/dev/fd/", "/proc/self/fd/"})
    if (path.starts_with(folder)) {
      int number = -1;
      auto [end, code] = std::from_chars(path.data() + folder.size(), path.data() + path.size(), number);
      return code == std::errc() && end == path.data() + path.size() ? number : -1;
    }
  return -1;
}

// Resolves the symbolic links at the end of a path. Unlike realpath(), the final target need not exist yet.
static Result<std::string> followLinks(const std::string &path) {
  constexpr int mostLinks = 40; // largest number of links that are followed, as in Linux
  std::string resolved = path;
  for (int link = 0; link < mostLinks; ++link) {
    std::array<char, 4096> target;
    ssize_t length = ::readlink(resolved.c_str(), target.data(), target.size());
    if (length < 0)
      return resolved;
    std::string next(target.data(), static_cast<size_t>(length));
    resolved = next.starts_with('/') ? next : parentOf(resolved) + "/" + next;
  }
  return systemError(path, "cannot create", ELOOP);
}

// The error for a file that could not be created at `target`; it names the folder if that is the cause.
static Error creationError(const std::string &path, const std::string &target, int code) {
  std::string parent = parentOf(target);
  struct stat info;
  if (code == ENOENT && ::stat(parent.c_str(), &info) != 0)
    return invalidInput(path, fmt::format("the folder '{}' does not exist", parent),
                        "create the folder, or write the file to another folder");
  if (code == ENOTDIR)
    return invalidInput(path, fmt::format("'{}' is not a folder", parent), "choose another place");
  return systemError(path, "cannot create", code);
}

Result<OutputFile> OutputFile::createStream(const std::string &path, int fd) {
  if (fd < 0)
    return systemError(path, "cannot open for writing", errno);
  OutputFile file;
  file.path = path;
  file.fd = fd;
  return file;
}

Result<OutputFile> OutputFile::create(const std::string &path) {
  if (path.empty())
    return invalidInput("", "the path of the output file is empty", "give the name of a file");
  if (path == "-") // other tools write to standard output if they are given "-"
    return usageError(path, "does not stand for standard output",
                      "write to /dev/stdout, or to ./- for a file of this name");
  if (int stream = standardStream(path); stream >= 0)
    return createStream(path, ::fcntl(stream, F_DUPFD_CLOEXEC, 0));
  TILERIG_TRY(std::string target, followLinks(path));
  struct stat info;
  bool exists = ::stat(target.c_str(), &info) == 0;
  if (path.ends_with('/') || (exists && S_ISDIR(info.st_mode)))
    return invalidInput(path, "this is a folder, not a file", "add a file name");
  if (exists && !S_ISREG(info.st_mode))
    return createStream(path, ::open(target.c_str(), O_WRONLY | O_CLOEXEC));
  if (exists && ::access(target.c_str(), W_OK) != 0)
    return systemError(path, "cannot replace", errno);

  Temporary temporary = createTemporary(target);
  if (temporary.fd < 0)
    return creationError(path, target, errno);
  OutputFile file;
  file.path = path;
  file.target = target;
  file.temporary = std::move(temporary.path);
  file.fd = temporary.fd;
  if (exists && ::fchmod(file.fd, info.st_mode & 0777) != 0)
    return systemError(path, "cannot set the permissions of the temporary file", errno);
  return file;
}

OutputFile::OutputFile(OutputFile &&other) noexcept
    : path(std::move(other.path)), target(std::move(other.target)),
      temporary(std::exchange(other.temporary, {})), position(other.position),
      fd(std::exchange(other.fd, -1)) {}

OutputFile::~OutputFile() {
  if (fd >= 0)
    ::close(fd);
  if (!temporary.empty()) {
    ::unlink(temporary.c_str());
    forgetTemporary(temporary);
  }
}

Status OutputFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return systemError(path, "cannot write", errno);
    bytes = bytes.subspan(static_cast<size_t>(written));
    position += static_cast<uint64_t>(written);
  }
  return success();
}

Status OutputFile::write(std::string_view text) { return write(std::as_bytes(std::span(text))); }

Status OutputFile::seek(uint64_t offset) {
  if (!target.empty()) {
    if (::lseek(fd, static_cast<off_t>(offset), SEEK_SET) < 0 ||
        ::ftruncate(fd, static_cast<off_t>(offset)) != 0)
      return systemError(path, "cannot extend", errno);
    position = offset;
    return success();
  }
  if (offset < position)
    return systemError(path, "cannot seek backwards", ESPIPE);
  static constexpr std::array<std::byte, 4096> zeros = {};
  while (position < offset)
    TILERIG_CHECK_OK(write(std::span(zeros).first(std::min<uint64_t>(zeros.size(), offset - position))));
  return success();
}

Status OutputFile::commit() {
  // The lock belongs to the open file: a duplicate descriptor keeps it after close(), until the temporary
  // file has been renamed.
  const int lock = target.empty() ? -1 : ::fcntl(fd, F_DUPFD_CLOEXEC, 0);
  const bool isClosed = ::close(std::exchange(fd, -1)) == 0;
  const bool isNamed = isClosed && (target.empty() || ::rename(temporary.c_str(), target.c_str()) == 0);
  const int code = errno;
  if (lock >= 0)
    ::close(lock);
  if (!isNamed)
    return systemError(path, isClosed ? "cannot rename the temporary file to this path" : "cannot close",
                       code);
  forgetTemporary(std::exchange(temporary, {}));
  return success();
}

Result<std::string> readText(const std::string &path) {
  TILERIG_TRY(MappedFile file, MappedFile::open(path));
  return std::string(reinterpret_cast<const char *>(file.bytes().data()), file.bytes().size());
}

Status writeText(const std::string &path, std::string_view text) {
  TILERIG_TRY(OutputFile file, OutputFile::create(path));
  TILERIG_CHECK_OK(file.write(text));
  return file.commit();
}

} // namespace tilerig
