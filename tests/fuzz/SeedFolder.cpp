// Writes a fuzzer's seeds into a folder at the start of libFuzzer, which takes its corpus from files.
#include "tests/fuzz/Fuzz.h"

#include <filesystem>
#include <fstream>
#include <string>

extern "C" __attribute__((weak)) void tilerigSeeds(SeedSink &) {}

extern "C" int LLVMFuzzerInitialize(int *count, char ***arguments) {
  SeedSink sink;
  tilerigSeeds(sink);
  static std::string folder = std::filesystem::path((*arguments)[0]).filename().string() + "-seeds";
  std::filesystem::create_directories(folder);
  for (size_t number = 0; number < sink.seeds.size(); ++number) {
    std::ofstream file(folder + "/" + std::to_string(number), std::ios::binary);
    file.write(reinterpret_cast<const char *>(sink.seeds[number].data()),
               static_cast<std::streamsize>(sink.seeds[number].size()));
  }
  // libFuzzer writes its findings into the first folder on the command line, so the folder of seeds comes
  // last.
  static std::vector<char *> extended(*arguments, *arguments + *count);
  extended.push_back(folder.data());
  extended.push_back(nullptr);
  *arguments = extended.data();
  ++*count;
  return 0;
}
