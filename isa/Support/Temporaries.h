// Temporary files of outputs: "FILE.PID.N.tmp" beside the FILE that they will become.
//
// The process that writes a temporary file holds a lock on it (flock), which the kernel releases when the
// process ends, however it ends. So the files of killed processes can be told from those being written: the
// next process that writes the same FILE removes the ones that nobody holds. Process numbers would not tell;
// they are used again, and differ between containers that share a folder.
#pragma once

#include <string>

namespace tilerig {

struct Temporary {
  std::string path; // empty where none could be created; errno says why
  int fd = -1;      // open for writing, locked
};

// Creates a temporary file for `target`, and removes those that killed processes left there. What cannot be
// removed stays.
Temporary createTemporary(const std::string &target);
// Closes nothing; the file has been renamed or is to be removed by the caller.
void forgetTemporary(const std::string &path);

// Has SIGINT, SIGTERM and SIGHUP, unless the process ignores them, remove all temporary files before they
// end the process.
void removeTemporariesOnSignals();

} // namespace tilerig
