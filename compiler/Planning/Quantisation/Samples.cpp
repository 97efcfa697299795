#include "compiler/Planning/Quantisation/Samples.h"

#include "compiler/Planning/Quantisation/SampleFile.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace tilerig::compiler {

namespace fs = std::filesystem;

namespace {

std::string counted(uint64_t count) { return fmt::format("{} sample{}", count, count == 1 ? "" : "s"); }

class FileSamples final : public Samples {
public:
  FileSamples(std::string path, std::vector<SampleFile> files)
      : path(std::move(path)), files(std::move(files)) {}

  uint64_t count() const override {
    uint64_t sum = 0;
    for (const SampleFile &file : files)
      sum += file.count();
    return sum;
  }
  std::string describe() const override { return fmt::format("{} of {}", counted(count()), path); }
  std::string placeOf(uint64_t sample) const override {
    const SampleFile &file = locate(sample);
    return file.count() == 1 ? file.path() : fmt::format("sample {} of {}", sample, file.path());
  }
  Result<PreparedSample> prepare(uint64_t sample, const std::string &folder) override {
    const SampleFile &file = locate(sample);
    const std::string one = folder + "/sample.npz";
    if (loadedFile != &file) {
      loadedFile = nullptr;
      TILERIG_TRY(loaded, file.load());
      loadedFile = &file;
    }
    TILERIG_CHECK_OK(file.writeSample(loaded, sample, one));
    return PreparedSample{{"-i", one}, one};
  }

private:
  // Returns the file that contains a sample. On entry, `sample` is the index of the sample among the samples
  // of all files; on return, it is its index within that file.
  const SampleFile &locate(uint64_t &sample) const {
    auto file = files.begin();
    for (; sample >= file->count(); ++file)
      sample -= file->count();
    return *file;
  }

  std::string path;
  std::vector<SampleFile> files;
  // The file of samples whose arrays are loaded into `loaded`. The last file is kept, so that a compressed
  // file is unpacked only once.
  const SampleFile *loadedFile = nullptr;
  std::vector<Tensor> loaded;
};

class SeededSamples final : public Samples {
public:
  SeededSamples(std::vector<ModelInput> inputs, uint64_t seed, uint64_t samples)
      : inputs(std::move(inputs)), seed(seed), samples(samples) {}

  uint64_t count() const override { return samples; }
  std::string describe() const override {
    return fmt::format("{} generated from seed {}, like the random inputs of tilerig reference",
                       counted(samples), seed);
  }
  std::string placeOf(uint64_t sample) const override {
    return fmt::format("the random sample with seed {}", seed + sample);
  }
  std::string remedy() const override {
    return "this sample is random, and the model may need real ones: give them with --calibration";
  }
  Result<PreparedSample> prepare(uint64_t sample, const std::string &folder) override {
    PreparedSample prepared{{"--seed", std::to_string(seed + sample)}, folder + "/sample.npz"};
    for (const ModelInput &input : inputs)
      if (std::ranges::none_of(input.shape, [](int64_t size) { return size < 0; }))
        prepared.arguments.push_back(
            fmt::format("--input-shape={}={}", input.name, fmt::join(input.shape, "x")));
    prepared.arguments.push_back("--save-inputs=" + prepared.inputFile);
    return prepared;
  }

private:
  std::vector<ModelInput> inputs;
  uint64_t seed, samples;
};

Result<std::vector<std::string>> filesOf(const std::string &folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with('.'))
      continue;
    if (!name.ends_with(".npz"))
      return invalidInput(entry->path().string(),
                          "the file is not an .npz file, but a folder of samples may contain no other files",
                          "move this file out of the folder");
    files.push_back(entry->path().string());
  }
  if (error)
    return invalidInput(folder, "cannot list the folder: " + error.message());
  if (files.empty())
    return invalidInput(folder, "the folder contains no samples", "put .npz files into it");
  std::ranges::sort(files);
  return files;
}

Result<std::vector<SampleFile>> openFiles(const std::string &path, const std::vector<ModelInput> &inputs) {
  std::vector<std::string> paths = {path};
  if (std::error_code ignored; fs::is_directory(path, ignored)) {
    TILERIG_TRY(paths, filesOf(path));
  }
  std::vector<SampleFile> files;
  for (const std::string &each : paths) {
    TILERIG_TRY(SampleFile file, SampleFile::open(each, inputs));
    files.push_back(std::move(file));
  }
  return files;
}

} // namespace

Result<std::vector<TensorMap>> readSamples(const std::string &path, const std::vector<ModelInput> &inputs) {
  TILERIG_TRY(const std::vector<SampleFile> files, openFiles(path, inputs));
  std::vector<TensorMap> samples;
  for (const SampleFile &file : files) {
    TILERIG_TRY(const std::vector<Tensor> loaded, file.load());
    for (uint64_t i = 0; i < file.count(); ++i) {
      TILERIG_TRY(TensorMap sample, file.sample(loaded, i));
      samples.push_back(std::move(sample));
    }
  }
  return samples;
}

Result<std::unique_ptr<Samples>> openSamples(const std::string &path, std::vector<ModelInput> inputs) {
  TILERIG_TRY(std::vector<SampleFile> files, openFiles(path, inputs));
  return std::unique_ptr<Samples>(std::make_unique<FileSamples>(path, std::move(files)));
}

std::unique_ptr<Samples> seededSamples(std::vector<ModelInput> inputs, uint64_t seed, uint64_t count) {
  return std::make_unique<SeededSamples>(std::move(inputs), seed, count);
}

} // namespace tilerig::compiler
