// Mutations of ONNX models that keep them valid protobuf: a field gets another value, a node another operator
// or other inputs, a part is removed, doubled or moved. The inputs get past the parser, into the loader and
// the operators.
#include "reference/Run/Operator.h"
#include "tests/fuzz/Mutate.h"

#include <array>
#include <cstring>
#include <google/protobuf/message.h>
#include <onnx/onnx_pb.h>

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using tilerig::fuzz::Random;

extern "C" __attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

namespace {

constexpr std::array<int64_t, 26> numbers = {
    0,  1,  -1, 2,  3,  4,   5,   6,    7,     8,       10,         11,         16,
    64, -2, -3, -8, 17, 255, 256, 4096, 65536, 1 << 20, 2147483647, 4294967296, INT64_MAX};
constexpr std::array<float, 12> floats = {0,     -0.0f, 1,    -1,  0.5f,   1e-30f,
                                          1e30f, -1e9f, 3e9f, 255, 1e-45f, 127};

int64_t pickNumber(Random &random) {
  switch (random.below(8)) {
  case 0:
    return INT64_MIN + static_cast<int64_t>(random.below(2));
  case 1:
    return static_cast<int64_t>(random.next() >> random.below(64));
  default:
    return numbers[random.below(numbers.size())];
  }
}

// Identifies one value in a protobuf message: a field and, if the field is repeated, the element `index`.
struct Place {
  Message *message;
  const FieldDescriptor *field;
  int index;
};

void collect(Message &message, std::vector<Place> &places, std::vector<std::string> &names) {
  const Reflection &reflection = *message.GetReflection();
  std::vector<const FieldDescriptor *> fields;
  reflection.ListFields(message, &fields);
  for (const FieldDescriptor *field : fields) {
    int count = field->is_repeated() ? reflection.FieldSize(message, field) : 1;
    for (int i = 0; i < count; ++i) {
      places.push_back({&message, field, i});
      if (field->type() == FieldDescriptor::TYPE_STRING)
        names.push_back(field->is_repeated() ? reflection.GetRepeatedString(message, field, i)
                                             : reflection.GetString(message, field));
      if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE)
        collect(field->is_repeated() ? *reflection.MutableRepeatedMessage(&message, field, i)
                                     : *reflection.MutableMessage(&message, field),
                places, names);
    }
  }
}

// SET and GET write and read the protobuf field (or the element of a repeated field) that `place` identifies.
#define SET(kind, value)                                                                                     \
  (place.field->is_repeated() ? reflection.SetRepeated##kind(place.message, place.field, place.index, value) \
                              : reflection.Set##kind(place.message, place.field, value))
#define GET(kind)                                                                                            \
  (place.field->is_repeated() ? reflection.GetRepeated##kind(*place.message, place.field, place.index)       \
                              : reflection.Get##kind(*place.message, place.field))

// Changes a bytes field. It is usually tensor data, so mostly one aligned number is replaced.
void damageBytes(std::string &bytes, Random &random) {
  size_t width = size_t{1} << random.below(4);
  if (bytes.size() < width || random.below(6) == 0)
    return bytes.resize(random.below(2 * bytes.size() + 2));
  size_t at = random.below(bytes.size() / width) * width;
  int64_t number = pickNumber(random);
  std::memcpy(bytes.data() + at, &number, width);
}

void damageText(std::string &text, const FieldDescriptor &field, const std::vector<std::string> &names,
                Random &random) {
  auto ops = tilerig::reference::allOps();
  if (field.name() == "op_type" && random.below(8) != 0)
    text = ops[random.below(ops.size())].op;
  else if (random.below(8) == 0)
    text.clear();
  else
    text = names[random.below(names.size())];
}

void damageList(const Place &place, const Reflection &reflection, Random &random) {
  int size = reflection.FieldSize(*place.message, place.field);
  int other = static_cast<int>(random.below(static_cast<size_t>(size)));
  switch (random.below(4)) {
  case 0:
    reflection.SwapElements(place.message, place.field, place.index, size - 1);
    return reflection.RemoveLast(place.message, place.field);
  case 1:
    return reflection.SwapElements(place.message, place.field, place.index, other);
  default:
    if (place.field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE)
      reflection.AddMessage(place.message, place.field)
          ->CopyFrom(reflection.GetRepeatedMessage(*place.message, place.field, place.index));
    else if (place.field->cpp_type() == FieldDescriptor::CPPTYPE_STRING)
      reflection.AddString(place.message, place.field,
                           reflection.GetRepeatedString(*place.message, place.field, other));
    else if (place.field->cpp_type() == FieldDescriptor::CPPTYPE_INT64)
      reflection.AddInt64(place.message, place.field, pickNumber(random));
  }
}

void damage(const Place &place, const std::vector<std::string> &names, Random &random) {
  const Reflection &reflection = *place.message->GetReflection();
  if (place.field->is_repeated() && random.below(3) == 0)
    return damageList(place, reflection, random);
  switch (place.field->cpp_type()) {
  case FieldDescriptor::CPPTYPE_INT32:
    return SET(Int32, static_cast<int32_t>(pickNumber(random)));
  case FieldDescriptor::CPPTYPE_INT64:
    return SET(Int64, random.below(3)
                          ? pickNumber(random)
                          : static_cast<int64_t>(static_cast<uint64_t>(GET(Int64)) + random.below(9) - 4));
  case FieldDescriptor::CPPTYPE_UINT64:
    return SET(UInt64, static_cast<uint64_t>(pickNumber(random)));
  case FieldDescriptor::CPPTYPE_FLOAT:
    return SET(Float, floats[random.below(floats.size())]);
  case FieldDescriptor::CPPTYPE_DOUBLE:
    return SET(Double, floats[random.below(floats.size())]);
  case FieldDescriptor::CPPTYPE_ENUM:
    return SET(EnumValue, static_cast<int>(random.below(17)));
  case FieldDescriptor::CPPTYPE_STRING: {
    std::string text = GET(String);
    if (place.field->type() == FieldDescriptor::TYPE_BYTES)
      damageBytes(text, random);
    else
      damageText(text, *place.field, names, random);
    return SET(String, text);
  }
  case FieldDescriptor::CPPTYPE_MESSAGE:
    if (!place.field->is_repeated() && random.below(4) == 0)
      reflection.ClearField(place.message, place.field);
    return;
  default:
    return;
  }
}

} // namespace

// libFuzzer's hook for a custom mutator; our own driver calls this function, too. Inputs that are no model,
// and half of libFuzzer's inputs, get byte mutations instead.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize, unsigned seed) {
  Random random(seed);
  onnx::ModelProto model;
  bool parsed = model.ParseFromArray(data, static_cast<int>(size));
  if (LLVMFuzzerMutate && (!parsed || random.below(2)))
    return LLVMFuzzerMutate(data, size, maxSize);
  for (size_t changes = 1 + random.below(4); parsed && changes > 0; --changes) {
    // A change may have removed messages, so the fields that can be changed are collected again after each
    // change.
    std::vector<Place> places;
    std::vector<std::string> names;
    collect(model, places, names);
    if (!places.empty() && !names.empty())
      damage(places[random.below(places.size())], names, random);
  }
  std::string bytes = model.SerializePartialAsString();
  if (!parsed || bytes.size() > maxSize)
    return size;
  std::memcpy(data, bytes.data(), bytes.size());
  return bytes.size();
}
