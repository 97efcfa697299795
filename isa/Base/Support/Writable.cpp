#include "isa/Base/Support/Writable.h"

#include "isa/Base/Support/File.h"

#include <cerrno>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

namespace tilerig {

Status checkWritable(const std::string &path) {
  struct stat info = {};
  if (::stat(path.c_str(), &info) == 0 && S_ISFIFO(info.st_mode)) {
    if (::access(path.c_str(), W_OK) != 0)
      return invalidInput(path, std::string("cannot open for writing: ") + std::strerror(errno));
    return success();
  }
  TILERIG_TRY([[maybe_unused]] const OutputFile file,
              OutputFile::create(path)); // the new file is not committed, so it is removed again
  return success();
}

Error standardOutputError() {
  return invalidInput("standard output", std::string("cannot write: ") + std::strerror(errno),
                      "free space on the disk, or redirect the output to another file");
}

} // namespace tilerig
