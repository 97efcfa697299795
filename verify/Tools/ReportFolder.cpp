#include "verify/Tools/ReportFolder.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <regex>
#include <sys/file.h>
#include <unistd.h>
#include <utility>

namespace tilerig::verify {

namespace fs = std::filesystem;

namespace {

constexpr const char *unfinished = "unfinished", *evidence = "evidence", *records = "records.jsonl";

Error cannot(const std::string &path, const char *description, const std::error_code &failed) {
  return invalidInput(path, std::string(description) + ": " + failed.message());
}

// Calls a function with each entry of a folder; does nothing if the folder does not exist.
template <class Visit>
Status forEachIn(const fs::path &folder, const Visit &visit) {
  std::error_code failed;
  if (!fs::exists(folder, failed))
    return success();
  fs::directory_iterator entries(folder, failed);
  for (; !failed && entries != fs::directory_iterator(); entries.increment(failed))
    if (const Status done = visit(entries->path()); !done)
      return done;
  return failed ? Status(cannot(folder.string(), "the folder cannot be read", failed)) : success();
}

// Whether a file in the evidence folder was written by a report, which names its files like 0000.npz and
// stage-0-tile-3.trasm. Other files belong to the user.
bool isEvidence(const fs::path &file) {
  static const std::regex name("[0-9]{4,}\\.(npz|png|svg)|stage-[0-9]+-tile-[0-9]+\\.trasm");
  return std::regex_match(file.filename().string(), name);
}

Status removeFile(const fs::path &file) {
  std::error_code failed;
  fs::remove(file, failed);
  return failed ? Status(cannot(file.string(), "the file cannot be removed", failed)) : success();
}

Status moveInto(const fs::path &file, const fs::path &folder) {
  std::error_code failed;
  const fs::path target = folder / file.filename();
  fs::rename(file, target, failed);
  return failed ? Status(cannot(target.string(), "the file cannot be written", failed)) : success();
}

Status makeFolder(const fs::path &folder) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  return failed ? Status(cannot(folder.string(), "the folder cannot be created", failed)) : success();
}

} // namespace

Result<ReportFolder> ReportFolder::open(const std::string &path) {
  TILERIG_CHECK_OK(makeFolder(path));
  ReportFolder folder(path);
  TILERIG_CHECK_OK(folder.lock());
  std::error_code failed;
  fs::remove_all(fs::path(path) / unfinished, failed);
  if (failed)
    return cannot(path + "/" + unfinished, "the folder cannot be removed", failed);
  TILERIG_CHECK_OK(makeFolder(fs::path(path) / unfinished / evidence));
  return folder;
}

ReportFolder::ReportFolder(ReportFolder &&other) noexcept
    : path(std::move(other.path)), fd(std::exchange(other.fd, -1)) {}

ReportFolder::~ReportFolder() {
  if (fd >= 0)
    ::close(fd);
}

// Locks the folder with flock, a lock of the kernel that ends with the process.
Status ReportFolder::lock() {
  fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0)
    return invalidInput(path, std::string("the folder cannot be opened: ") + std::strerror(errno));
  if (::flock(fd, LOCK_EX | LOCK_NB) == 0)
    return success();
  if (errno == EWOULDBLOCK)
    return invalidInput(path, "another process is writing a report into this folder",
                        "wait until it ends, or choose another folder");
  return invalidInput(path, std::string("the folder cannot be locked: ") + std::strerror(errno));
}

std::string ReportFolder::fileFor(const std::string &name) const {
  return path + "/" + unfinished + "/" + name;
}

Status ReportFolder::publish() {
  const fs::path folder = path, fresh = folder / unfinished;
  TILERIG_CHECK_OK(removeFile(folder / records));
  TILERIG_CHECK_OK(forEachIn(folder / evidence, [](const fs::path &file) {
    return isEvidence(file) ? removeFile(file) : success();
  }));
  TILERIG_CHECK_OK(makeFolder(folder / evidence));
  TILERIG_CHECK_OK(
      forEachIn(fresh / evidence, [&](const fs::path &file) { return moveInto(file, folder / evidence); }));
  TILERIG_CHECK_OK(forEachIn(fresh, [&](const fs::path &file) {
    return file.filename() == evidence || file.filename() == records ? success() : moveInto(file, folder);
  }));
  TILERIG_CHECK_OK(moveInto(fresh / records, folder));
  std::error_code failed;
  fs::remove_all(fresh, failed);
  return failed ? Status(cannot(fresh.string(), "the folder cannot be removed", failed)) : success();
}

} // namespace tilerig::verify
