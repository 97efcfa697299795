// Parses the directives for definitions, constants, and expectations of tests.
#include "isa/Assembly/ProgramReader.h"

#include <algorithm>

namespace tilerig {

// ---- definitions ----

bool ProgramReader::define(const char *place, std::string name, int64_t value) {
  auto [entry, isNew] = definitions.try_emplace(std::move(name), value);
  return isNew || cursor.failAt(place, "the name " + quoted(entry->first) + " is already defined",
                                "its value is " + std::to_string(entry->second));
}

// Parses the definition of a name: name=value.
bool ProgramReader::readDefinition(std::string &name, int64_t &value) {
  const char *place = cursor.position();
  std::string_view written;
  if (!cursor.readName(written, "a name") || !cursor.expect('=', "after the name") ||
      !cursor.readExpression("value", INT64_MIN, INT64_MAX, value))
    return false;
  name = written;
  return define(place, name, value);
}

bool ProgramReader::readDefine() {
  std::string name;
  int64_t value;
  return readDefinition(name, value);
}

// ---- constants ----

bool ProgramReader::readConstant() {
  const char *place = cursor.position();
  std::string label;
  int64_t address;
  bool labelled = cursor.startsName() && cursor.nameIsFollowedBy('=');
  if (!(labelled ? readDefinition(label, address) : cursor.readExpression("address", 0, INT64_MAX, address)))
    return false;
  if (address < 0)
    return cursor.failAt(place, "the address " + std::to_string(address) + " is negative");
  auto bytes = std::make_shared<std::vector<std::byte>>();
  size_t type;
  if (cursor.acceptNameMaybe("hex")) {
    if (!readHexBytes(cursor, budget, *bytes))
      return false;
  } else if (!cursor.readChoice(EnumNames<ElementType>::values, "type (or hex)", type) ||
             !readValues(cursor, numberTypeOf(static_cast<ElementType>(type)), budget, *bytes)) {
    return false;
  }
  bytes->shrink_to_fit();
  constants.push_back({{static_cast<uint64_t>(address), *bytes, bytes}, place});
  return true;
}

// Sorts the constants by ascending address, as a program requires; the text may list them in any order.
bool ProgramReader::finishConstants() {
  auto address = [](const auto &entry) { return entry.first.address; };
  std::ranges::stable_sort(constants, {}, address);
  for (size_t i = 0; i < constants.size(); ++i) {
    const auto &[data, place] = constants[i];
    const ConstantData *last = i > 0 ? &constants[i - 1].first : nullptr;
    if (last && data.address - last->address < last->bytes.size())
      return cursor.failAt(
          place, "the constant overlaps another constant, given " + before(constants[i - 1].second),
          "the other constant ends at address " + std::to_string(last->address + last->bytes.size()));
    program.constants.push_back(data);
  }
  return true;
}

// ---- tests ----

// Parses the content of .set or .expect, the values of a tensor in a test: "name" [values]. The tensor must
// have been declared before, because its type is needed.
bool ProgramReader::readTestTensor(proto::TensorRole role, TensorMap &map) {
  const char *place = cursor.position();
  std::string name;
  if (!cursor.readString("a tensor's name", name))
    return false;
  auto entry = tensors.find(name);
  const auto *tensor = entry == tensors.end() ? nullptr : &program.metadata.tensors(entry->second);
  if (!tensor || tensor->role() != role)
    return cursor.failAt(
        place,
        quoted(name) + (role == proto::INPUT ? " is not a declared input" : " is not a declared output"),
        "declare it earlier with ." + std::string(role == proto::INPUT ? "input" : "output"));
  auto dtype = dtypeNamed(tensor->dtype());
  auto numbers = dtype ? numberTypeOf(*dtype) : std::nullopt;
  if (!numbers)
    return cursor.failAt(place,
                         "values of type " + quoted(tensor->dtype()) + " cannot be written in assembly text");
  std::vector<std::byte> bytes;
  if (!readValues(cursor, *numbers, budget, bytes))
    return false;
  Shape shape(tensor->shape().begin(), tensor->shape().end());
  auto size = sizeBytesOf(*dtype, shape);
  if (!size || *size != bytes.size())
    return cursor.failAt(place, quoted(name) + " has shape " + showShape(shape) + ", but " +
                                    std::to_string(bytes.size() / numbers->sizeBytes) + " values are given");
  auto value = Tensor::make(*dtype, std::move(shape));
  if (!value)
    return cursor.failAt(place, value.error().what);
  std::ranges::copy(bytes, value->mutableBytes().begin());
  return map.add(name, *std::move(value)) ||
         cursor.failAt(place, "the values of " + quoted(name) + " are already given");
}

bool ProgramReader::readSet() { return readTestTensor(proto::INPUT, assembly.test.inputs); }
bool ProgramReader::readExpect() { return readTestTensor(proto::OUTPUT, assembly.test.outputs); }

// Parses the content of .expect_fault or .expect_problem: NAME ["words of the message"].
bool ProgramReader::readReport(std::string_view expected, ExpectedReport &report) {
  report.line = cursor.line();
  std::string_view kind;
  if (!cursor.readName(kind, expected))
    return false;
  report.kind = kind;
  return cursor.peek() != '"' || cursor.readString("text", report.text);
}

bool ProgramReader::readExpectFault() {
  if (assembly.test.fault)
    return cursor.failAt(directivePlace,
                         "a test can expect only one fault, and one is already given at line " +
                             std::to_string(assembly.test.fault->line));
  return readReport("a category of faults", assembly.test.fault.emplace());
}

bool ProgramReader::readExpectProblem() {
  return readReport("a kind of problem", assembly.test.problems.emplace_back());
}

} // namespace tilerig
