// A folder of a report that one process at a time writes, and that holds a whole report or none.
//
// Files of a report are written into `unfinished/` in it. publish() takes the earlier report away and puts
// the new one into its place, records.jsonl first and last: whoever finds that file finds the whole report
// that it tells of. A process that fails or is killed leaves the earlier report as it was, and beside it what
// it had written; the next one begins anew.
#pragma once

#include "isa/Support/Error.h"

#include <string>

namespace tilerig::verify {

class ReportFolder {
public:
  // Refuses a folder that another process is writing a report into.
  static Result<ReportFolder> open(const std::string &path);

  ReportFolder(ReportFolder &&other) noexcept;
  ReportFolder &operator=(ReportFolder &&) = delete;
  ~ReportFolder();

  // Where a file is to be written; evidence has a folder of its own in there.
  std::string fileFor(const std::string &name) const;
  Status publish();

private:
  explicit ReportFolder(std::string path) : path(std::move(path)) {}
  Status lock();

  std::string path;
  int fd = -1; // of the folder; holds the lock
};

} // namespace tilerig::verify
