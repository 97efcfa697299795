// A folder for the files of a test, deleted when the test ends.
#pragma once

#include <filesystem>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <string>

namespace tilerig {

class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "tilerig-XXXXXX").string();
    if (::mkdtemp(name.data()))
      folder = name;
    else
      ADD_FAILURE() << "no temporary folder";
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;

  std::string path() const { return folder.string(); }
  std::string path(const std::string &name) const { return (folder / name).string(); }

private:
  std::filesystem::path folder;
};

} // namespace tilerig
