// Folder of a report with atomic replacement: one process at a time writes, and the folder holds a complete
// report or none.
//
// Files of a new report are written into the subfolder `unfinished/`. publish() removes the earlier report,
// records.jsonl first, and moves the new one into its place, records.jsonl last. So if that file exists, the
// whole report exists. A process that fails leaves the earlier report unchanged and its own files in
// `unfinished/`, which the next process deletes.
#pragma once

#include "isa/Base/Support/Error.h"

#include <string>

namespace tilerig::verify {

class ReportFolder {
public:
  // Refuses a folder into which another process is writing a report.
  static Result<ReportFolder> open(const std::string &path);

  ReportFolder(ReportFolder &&other) noexcept;
  ReportFolder &operator=(ReportFolder &&) = delete;
  ~ReportFolder();

  const std::string &name() const { return path; }
  // Path at which to write a file of the new report. Evidence files (pictures and the classifier's inputs)
  // are in a subfolder.
  std::string fileFor(const std::string &name) const;
  Status publish();

private:
  explicit ReportFolder(std::string path) : path(std::move(path)) {}
  Status lock();

  std::string path;
  int fd = -1; // file descriptor of the report's folder; holds the lock
};

} // namespace tilerig::verify
