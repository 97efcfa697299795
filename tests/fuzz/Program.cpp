// Fuzzer of program files: an accepted file must be written again as the same bytes; any other file must be
// refused.
//
// The hashes of a file reject plain damage. So each input stands for four files: the input itself; the input
// with corrected hashes; and, with the input as a random seed, a valid file with mutated metadata and a valid
// file with mutated instructions, both with correct hashes. The files with correct hashes get as far into the
// reader as an attacker's files would. To run a million inputs:
//
//   fuzz-program --runs 1000000
#include "isa/Base/Support/Hash.h"
#include "isa/Program/ProgramSet.h"
#include "isa/Program/Reader.h"
#include "isa/Program/Writer.h"
#include "tests/fuzz/Fuzz.h"
#include "tests/support/Programs/Forge.h"
#include "tests/support/Programs/SampleProgram.h"

#include <algorithm>

using namespace tilerig;
using namespace tilerig::test;
namespace pb = google::protobuf;

// A number at or near a value at which sizes, indices and signs tend to go wrong.
static uint64_t oddNumber(Random &random) {
  uint64_t edge = random.pick({uint64_t{0}, uint64_t{1}, uint64_t{64}, uint64_t{4096}, uint64_t{65536},
                               uint64_t{1} << 31, uint64_t{1} << 32, uint64_t{INT64_MAX}, UINT64_MAX});
  return edge + static_cast<uint64_t>(random.between(-3, 3));
}

static std::string oddText(Random &random, const std::string &before) {
  return random.pick({std::string(), before + "x", std::string("i9"), std::string("host"),
                      std::string("\xff"), std::string("input"), before.substr(0, before.size() / 2)});
}

// Sets a protobuf field, or element `index` of a repeated field, to another value of its type.
static void setValue(pb::Message &message, const pb::FieldDescriptor &field, int index, Random &random) {
  const pb::Reflection &reflection = *message.GetReflection();
  uint64_t number = oddNumber(random);
  auto set = [&](auto single, auto repeated, auto value) {
    index < 0 ? (reflection.*single)(&message, &field, value)
              : (reflection.*repeated)(&message, &field, index, value);
  };
  using R = pb::Reflection;
  switch (field.cpp_type()) {
  case pb::FieldDescriptor::CPPTYPE_INT32:
    return set(&R::SetInt32, &R::SetRepeatedInt32, static_cast<int32_t>(number));
  case pb::FieldDescriptor::CPPTYPE_INT64:
    return set(&R::SetInt64, &R::SetRepeatedInt64, static_cast<int64_t>(number));
  case pb::FieldDescriptor::CPPTYPE_UINT32:
    return set(&R::SetUInt32, &R::SetRepeatedUInt32, static_cast<uint32_t>(number));
  case pb::FieldDescriptor::CPPTYPE_UINT64:
    return set(&R::SetUInt64, &R::SetRepeatedUInt64, number);
  case pb::FieldDescriptor::CPPTYPE_FLOAT:
    return set(&R::SetFloat, &R::SetRepeatedFloat, static_cast<float>(number));
  case pb::FieldDescriptor::CPPTYPE_BOOL:
    return set(&R::SetBool, &R::SetRepeatedBool, number % 2 != 0);
  case pb::FieldDescriptor::CPPTYPE_ENUM:
    return set(&R::SetEnumValue, &R::SetRepeatedEnumValue, static_cast<int>(number % 5));
  case pb::FieldDescriptor::CPPTYPE_STRING:
    return set(&R::SetString, &R::SetRepeatedString, oddText(random, random.chance(50) ? "conv" : ""));
  default:
    return;
  }
}

// Descends to a random protobuf field and mutates it: sets another value, or adds, removes or moves an
// element.
static void changeField(pb::Message &message, Random &random) {
  const pb::Reflection &reflection = *message.GetReflection();
  const pb::FieldDescriptor &field =
      *message.GetDescriptor()->field(static_cast<int>(random.below(message.GetDescriptor()->field_count())));
  if (field.is_map())
    return;
  bool nested = field.cpp_type() == pb::FieldDescriptor::CPPTYPE_MESSAGE;
  if (!field.is_repeated()) {
    if (random.chance(5))
      return reflection.ClearField(&message, &field);
    return nested ? changeField(*reflection.MutableMessage(&message, &field), random)
                  : setValue(message, field, -1, random);
  }
  int count = reflection.FieldSize(message, &field);
  if (count == 0 || random.chance(5)) {
    if (nested)
      reflection.AddMessage(&message, &field);
    return;
  }
  int index = static_cast<int>(random.below(static_cast<uint64_t>(count)));
  if (random.chance(5))
    return reflection.RemoveLast(&message, &field);
  if (random.chance(5))
    return reflection.SwapElements(&message, &field, index, 0);
  return nested ? changeField(*reflection.MutableRepeatedMessage(&message, &field, index), random)
                : setValue(message, field, index, random);
}

static FileBytes withOtherMetadata(const FileBytes &file, Random &random) {
  return forge(file, [&](proto::Metadata &metadata) {
    for (uint64_t changes = 1 + random.below(3), i = 0; i < changes; ++i)
      changeField(metadata, random);
  });
}

static FileBytes withOtherInstructions(FileBytes file, Random &random) {
  for (uint64_t end = wordAt(file, metadataOffsetAt), changes = 1 + random.below(4), i = 0; i < changes; ++i)
    file[128 + random.below(end - 128)] =
        static_cast<std::byte>(random.chance(50) ? oddNumber(random) : random.next());
  seal(file);
  return file;
}

static const std::vector<FileBytes> &goodFiles() {
  static const std::vector<FileBytes> files = [] {
    Machine tiny = *loadMachine("tiny");
    std::vector<FileBytes> programs = {*serialiseProgram(smallestProgram(tiny))};
    for (uint64_t seed = 0; seed < 12; ++seed) {
      Random random(seed);
      programs.push_back(*serialiseProgram(
          sampleProgram(random, tiny, {.constants = seed % 4 ? 0u : 1u, .constantBytes = 200})));
    }
    return programs;
  }();
  return files;
}

static void readAndWrite(const FileBytes &file) {
  auto program = parseProgramFile(file, nullptr, "fuzz");
  if (!program) {
    require(program.error().kind == ErrorKind::invalidInput ||
            program.error().kind == ErrorKind::unsupported);
    require(program.error().place.starts_with("fuzz") && !program.error().what.empty());
    return;
  }
  auto again = serialiseProgram(*program);
  require(bool(again));
  require(program->outdatedProof || *again == file);
}

// Reads the input as the programs behind the table of a program set; sizes in the table may be wrong.
static void readSet(const FileBytes &input, Random &random) {
  std::vector<uint64_t> sizes;
  for (uint64_t count = random.below(4), i = 0; i < count; ++i)
    sizes.push_back(random.chance(50) ? oddNumber(random) : random.below(input.size() + 1));
  FileBytes file = headOfSet(sizes);
  if (random.chance(80))
    file.resize(4096);
  file.insert(file.end(), input.begin(), input.end());
  if (random.chance(20))
    file[random.below(file.size())] = static_cast<std::byte>(random.next());
  if (const auto programs = isProgramSet(file) ? programsIn(file) : std::vector<std::span<const std::byte>>())
    for (const auto program : *programs)
      require(program.data() >= file.data() && program.data() + program.size() <= file.data() + file.size());
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto *begin = reinterpret_cast<const std::byte *>(data);
  FileBytes file(begin, begin + size);
  Random random(hashBytes(file));
  readAndWrite(file);
  readSet(file, random);
  FileBytes resealed = file;
  seal(resealed);
  readAndWrite(resealed);
  readAndWrite(withOtherMetadata(random.pick(goodFiles()), random));
  readAndWrite(withOtherInstructions(random.pick(goodFiles()), random));
  return 0;
}

extern "C" void tilerigSeeds(SeedSink &sink) {
  for (const FileBytes &file : goodFiles())
    sink.add(file);
}
