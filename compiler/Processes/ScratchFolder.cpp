#include "compiler/Processes/ScratchFolder.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdlib.h>
#include <utility>

namespace tilerig::compiler {

Result<ScratchFolder> ScratchFolder::create() {
  std::error_code error;
  const std::filesystem::path parent = std::filesystem::temp_directory_path(error);
  if (error)
    return invalidInput("temporary folder", error.message(), "set TMPDIR to an existing folder");
  std::string name = (parent / "tilerig-calibration-XXXXXX").string();
  if (!::mkdtemp(name.data()))
    return invalidInput(parent.string(),
                        std::string("cannot create a temporary folder in this folder: ") +
                            std::strerror(errno),
                        "free some space, or set TMPDIR to another folder");
  return ScratchFolder(std::move(name));
}

ScratchFolder::ScratchFolder(ScratchFolder &&other) noexcept : folder(std::exchange(other.folder, {})) {}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  if (!folder.empty())
    std::filesystem::remove_all(folder, ignored);
}

} // namespace tilerig::compiler
