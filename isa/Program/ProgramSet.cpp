#include "isa/Program/ProgramSet.h"

#include "isa/Base/Support/File.h"
#include "isa/Base/Support/Hash.h"
#include "isa/Base/Tensor/FieldReader.h"
#include "isa/Program/Layout.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fmt/core.h>
#include <fmt/ranges.h>

namespace tilerig {

namespace {

using Bytes = std::span<const std::byte>;

// Like the magic number of a program, with another name.
constexpr std::array<uint8_t, 8> setMagic = {0x89, 'T', 'R', 'S', '\r', '\n', 0x1A, '\n'};
constexpr uint32_t setVersion = 1;
constexpr size_t hashOffset = setMagic.size() + 2 * sizeof(uint32_t),
                 tableOffset = hashOffset + sizeof(uint64_t), entryBytes = 2 * sizeof(uint64_t);

// Where a program begins if what is before it ends at `end`.
uint64_t placeBehind(uint64_t end) {
  return (end + constantAlignment - 1) / constantAlignment * constantAlignment;
}

void append(std::vector<std::byte> &bytes, const auto &number) {
  const auto raw = std::as_bytes(std::span(&number, 1));
  bytes.insert(bytes.end(), raw.begin(), raw.end());
}

Error alteredSet(std::string what) {
  return invalidInput("", std::move(what), "copy the file again, or compile the model again");
}

} // namespace

ProgramName programNameOf(const std::string &name) {
  const size_t at = name.rfind('#');
  std::error_code unknown;
  if (at == std::string::npos || std::filesystem::exists(name, unknown))
    return {name, {}};
  uint64_t number = 0;
  const char *const end = name.data() + name.size();
  const auto [rest, error] = std::from_chars(name.data() + at + 1, end, number);
  if (error != std::errc() || rest != end)
    return {name, {}};
  return {name.substr(0, at), number};
}

std::vector<std::byte> headOfSet(const std::vector<uint64_t> &sizes) {
  std::vector<std::byte> start, table;
  for (const uint8_t byte : setMagic)
    append(start, byte);
  append(start, setVersion);
  append(start, static_cast<uint32_t>(sizes.size()));
  uint64_t end = tableOffset + sizes.size() * entryBytes;
  for (const uint64_t size : sizes) {
    const uint64_t offset = placeBehind(end);
    append(table, offset);
    append(table, size);
    end = offset + size;
  }
  append(start, combineHashes(hashBytes(start), hashBytes(table)));
  start.insert(start.end(), table.begin(), table.end());
  return start;
}

bool isProgramSet(Bytes file) {
  const auto magic = std::as_bytes(std::span(setMagic));
  return file.size() >= magic.size() && std::ranges::equal(file.first(magic.size()), magic);
}

Result<std::vector<Bytes>> programsIn(Bytes file) {
  FieldReader fields(file.subspan(setMagic.size()));
  const uint32_t version = fields.u32(), count = fields.u32();
  if (!fields.ok())
    return alteredSet("the file with several programs is truncated");
  if (version != setVersion)
    return unsupported(
        "",
        fmt::format("the file has several programs in format {}, but this version reads format {}", version,
                    setVersion),
        "update tilerig, or compile the model again");
  if (count == 0 || count > mostPrograms || file.size() < tableOffset ||
      (file.size() - tableOffset) / entryBytes < count)
    return alteredSet(fmt::format("the file claims to have {} programs, which do not fit into its {} bytes",
                                  count, file.size()));
  std::vector<uint64_t> sizes;
  FieldReader table(file.subspan(tableOffset, count * entryBytes));
  for (uint32_t i = 0; i < count; ++i) {
    table.u64(); // the sizes decide where programs begin
    sizes.push_back(table.u64());
    if (sizes.back() > file.size())
      return alteredSet(
          fmt::format("program {} claims to have {} bytes, more than the file", i + 1, sizes.back()));
  }
  const std::vector<std::byte> head = headOfSet(sizes);
  if (!std::ranges::equal(file.first(head.size()), head))
    return alteredSet("the table of the programs in the file was altered");
  std::vector<Bytes> programs;
  uint64_t end = head.size();
  for (const uint64_t size : sizes) {
    const uint64_t offset = placeBehind(end);
    if (offset > file.size() || size > file.size() - offset)
      return alteredSet(fmt::format("the file is truncated: program {} ends at byte {}", programs.size() + 1,
                                    offset + size));
    if (std::ranges::any_of(file.subspan(end, offset - end),
                            [](std::byte byte) { return byte != std::byte{0}; }))
      return alteredSet(fmt::format("the bytes before program {} are not zero", programs.size() + 1));
    programs.push_back(file.subspan(offset, size));
    end = offset + size;
  }
  if (end != file.size())
    return alteredSet(fmt::format("{} bytes follow the last program", file.size() - end));
  return programs;
}

Status writeProgramSet(const std::vector<std::string> &programs, const std::string &path) {
  if (programs.size() > mostPrograms)
    return unsupported(
        path, fmt::format("a file can have at most {} programs, not {}", mostPrograms, programs.size()));
  std::vector<uint64_t> sizes;
  for (const std::string &program : programs) {
    std::error_code error;
    sizes.push_back(std::filesystem::file_size(program, error));
    if (error)
      return invalidInput(program, error.message());
  }
  TILERIG_TRY(OutputFile file, OutputFile::create(path));
  const std::vector<std::byte> head = headOfSet(sizes);
  TILERIG_CHECK_OK(file.write(head));
  uint64_t end = head.size();
  for (const std::string &program : programs) {
    TILERIG_TRY(const MappedFile mapped, MappedFile::open(program));
    const uint64_t offset = placeBehind(end);
    TILERIG_CHECK_OK(file.seek(offset));
    TILERIG_CHECK_OK(file.write(mapped.bytes()));
    end = offset + mapped.bytes().size();
  }
  return file.commit();
}

std::string shapesOfInputs(const Program &program) {
  std::string text;
  for (const proto::Tensor &tensor : program.metadata.tensors())
    if (tensor.role() == proto::INPUT)
      text += fmt::format("{}{}={}", text.empty() ? "" : " ", tensor.name(), fmt::join(tensor.shape(), "x"));
  return text;
}

} // namespace tilerig
