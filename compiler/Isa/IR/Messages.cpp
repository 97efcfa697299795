#include "compiler/Isa/IR/Messages.h"

#include <bit>
#include <fmt/core.h>
#include <google/protobuf/descriptor.h>
#include <limits>
#include <mlir/IR/Builders.h>

namespace tilerig::compiler::isa {

namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

// Converts Protobuf messages to MLIR attributes.
class MessageWriter {
public:
  explicit MessageWriter(mlir::MLIRContext *context) : builder(context) {}

  mlir::DictionaryAttr write(const Message &message) {
    const Reflection &reflection = *message.GetReflection();
    mlir::NamedAttrList all;
    for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
      const FieldDescriptor &field = *message.GetDescriptor()->field(i);
      if (field.is_map())
        addMap(message, field, all);
      else if (field.is_repeated())
        addList(message, field, all);
      else if (reflection.HasField(message, &field))
        all.append(field.name(), value(message, field, none));
    }
    return all.getDictionary(builder.getContext());
  }

private:
  static constexpr int none = -1;

  void addList(const Message &message, const FieldDescriptor &field, mlir::NamedAttrList &all) {
    llvm::SmallVector<mlir::Attribute> values;
    for (int i = 0; i < message.GetReflection()->FieldSize(message, &field); ++i)
      values.push_back(value(message, field, i));
    if (!values.empty())
      all.append(field.name(), builder.getArrayAttr(values));
  }

  // Writes a map as a dictionary. A map with an empty key becomes a list of dictionaries {key, value}, since
  // a dictionary cannot have empty names.
  void addMap(const Message &message, const FieldDescriptor &field, mlir::NamedAttrList &all) {
    mlir::NamedAttrList entries;
    bool hasEmpty = false;
    const auto &type = *field.message_type();
    for (int i = 0; i < message.GetReflection()->FieldSize(message, &field); ++i) {
      const Message &entry = message.GetReflection()->GetRepeatedMessage(message, &field, i);
      const std::string key = entry.GetReflection()->GetString(entry, type.map_key());
      hasEmpty |= key.empty();
      entries.append(key, value(entry, *type.map_value(), none));
    }
    if (hasEmpty)
      all.append(field.name(), listOf(entries));
    else if (!entries.empty())
      all.append(field.name(), entries.getDictionary(builder.getContext()));
  }

  mlir::ArrayAttr listOf(mlir::NamedAttrList &entries) {
    llvm::SmallVector<mlir::Attribute> list;
    for (const mlir::NamedAttribute &each : entries.getDictionary(builder.getContext()))
      list.push_back(builder.getDictionaryAttr(
          {builder.getNamedAttr("key", each.getName()), builder.getNamedAttr("value", each.getValue())}));
    return builder.getArrayAttr(list);
  }

  mlir::Attribute value(const Message &message, const FieldDescriptor &field, int index) {
    const Reflection &from = *message.GetReflection();
    const bool isOne = index == none;
    switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return write(isOne ? from.GetMessage(message, &field)
                         : from.GetRepeatedMessage(message, &field, index));
    case FieldDescriptor::CPPTYPE_STRING:
      return builder.getStringAttr(isOne ? from.GetString(message, &field)
                                         : from.GetRepeatedString(message, &field, index));
    case FieldDescriptor::CPPTYPE_BOOL:
      return builder.getBoolAttr(isOne ? from.GetBool(message, &field)
                                       : from.GetRepeatedBool(message, &field, index));
    case FieldDescriptor::CPPTYPE_FLOAT:
      return builder.getF32FloatAttr(isOne ? from.GetFloat(message, &field)
                                           : from.GetRepeatedFloat(message, &field, index));
    case FieldDescriptor::CPPTYPE_ENUM:
      return enumerator(field, isOne ? from.GetEnumValue(message, &field)
                                     : from.GetRepeatedEnumValue(message, &field, index));
    case FieldDescriptor::CPPTYPE_INT32:
      return integer(isOne ? from.GetInt32(message, &field) : from.GetRepeatedInt32(message, &field, index));
    case FieldDescriptor::CPPTYPE_UINT32:
      return integer(isOne ? from.GetUInt32(message, &field)
                           : from.GetRepeatedUInt32(message, &field, index));
    case FieldDescriptor::CPPTYPE_INT64:
      return integer(isOne ? from.GetInt64(message, &field) : from.GetRepeatedInt64(message, &field, index));
    case FieldDescriptor::CPPTYPE_UINT64:
      return integer(static_cast<int64_t>(isOne ? from.GetUInt64(message, &field)
                                                : from.GetRepeatedUInt64(message, &field, index)));
    case FieldDescriptor::CPPTYPE_DOUBLE:
      break;
    }
    assert(false && "Metadata.proto has no field of type double");
    return {};
  }
  mlir::Attribute integer(int64_t value) { return builder.getI64IntegerAttr(value); }
  // The MLIR attribute for an enumerator of Protobuf: its name, or its number if the number has no known
  // name.
  mlir::Attribute enumerator(const FieldDescriptor &field, int number) {
    const auto *known = field.enum_type()->FindValueByNumber(number);
    return known ? mlir::Attribute(builder.getStringAttr(known->name())) : integer(number);
  }

  mlir::Builder builder;
};

Error wrongKind(const FieldDescriptor &field, const char *description) {
  return invalidInput(field.name(), description);
}

class MessageReader {
public:
  static Status read(mlir::DictionaryAttr dictionary, Message &message) {
    for (const mlir::NamedAttribute &entry : dictionary) {
      const FieldDescriptor *field = message.GetDescriptor()->FindFieldByName(entry.getName().str());
      if (!field)
        return invalidInput(entry.getName().str(), fmt::format("the message {} has no field of this name",
                                                               message.GetDescriptor()->name()));
      if (const Status status = readField(entry.getValue(), *field, message); !status)
        return status.error().within(field->name());
    }
    return success();
  }

private:
  static Status readField(mlir::Attribute value, const FieldDescriptor &field, Message &message) {
    if (field.is_map())
      return readMap(value, field, message);
    if (!field.is_repeated())
      return readValue(value, field, message);
    const auto list = llvm::dyn_cast<mlir::ArrayAttr>(value);
    if (!list)
      return wrongKind(field, "expected a list of values in square brackets");
    for (const mlir::Attribute each : list)
      TILERIG_CHECK_OK(readValue(each, field, message));
    return success();
  }

  static Status readMap(mlir::Attribute value, const FieldDescriptor &field, Message &message) {
    if (const auto entries = llvm::dyn_cast<mlir::DictionaryAttr>(value)) {
      for (const mlir::NamedAttribute &each : entries)
        TILERIG_CHECK_OK(addEntry(each.getName(), each.getValue(), field, message));
      return success();
    }
    const auto list = llvm::dyn_cast<mlir::ArrayAttr>(value);
    for (const mlir::Attribute each : list ? list.getValue() : llvm::ArrayRef<mlir::Attribute>()) {
      const auto pair = llvm::dyn_cast<mlir::DictionaryAttr>(each);
      const auto key = pair ? pair.getAs<mlir::StringAttr>("key") : nullptr;
      if (!key || !pair.get("value"))
        return wrongKind(field, "expected dictionaries with the entries 'key' and 'value'");
      TILERIG_CHECK_OK(addEntry(key, pair.get("value"), field, message));
    }
    return list ? success() : Status(wrongKind(field, "expected a dictionary"));
  }
  static Status addEntry(mlir::StringAttr key, mlir::Attribute value, const FieldDescriptor &field,
                         Message &message) {
    Message &entry = *message.GetReflection()->AddMessage(&message, &field);
    entry.GetReflection()->SetString(&entry, field.message_type()->map_key(), key.str());
    return readValue(value, *field.message_type()->map_value(), entry);
  }

  // Sets the field of the message to the value, or appends the value if the field is repeated.
  static Status readValue(mlir::Attribute value, const FieldDescriptor &field, Message &to) {
    const Reflection &reflection = *to.GetReflection();
    const bool isOne = !field.is_repeated();
    switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_MESSAGE: {
      const auto dictionary = llvm::dyn_cast<mlir::DictionaryAttr>(value);
      if (!dictionary)
        return wrongKind(field, "expected a dictionary");
      return read(dictionary,
                  *(isOne ? reflection.MutableMessage(&to, &field) : reflection.AddMessage(&to, &field)));
    }
    case FieldDescriptor::CPPTYPE_STRING: {
      const auto text = llvm::dyn_cast<mlir::StringAttr>(value);
      if (!text)
        return wrongKind(field, "expected a text in quotes");
      isOne ? reflection.SetString(&to, &field, text.str()) : reflection.AddString(&to, &field, text.str());
      return success();
    }
    case FieldDescriptor::CPPTYPE_BOOL: {
      const auto flag = llvm::dyn_cast<mlir::BoolAttr>(value);
      if (!flag)
        return wrongKind(field, "expected true or false");
      isOne ? reflection.SetBool(&to, &field, flag.getValue())
            : reflection.AddBool(&to, &field, flag.getValue());
      return success();
    }
    case FieldDescriptor::CPPTYPE_FLOAT: {
      const auto real = llvm::dyn_cast<mlir::FloatAttr>(value);
      if (!real || !real.getType().isF32())
        return wrongKind(field, "expected a number of type f32");
      const float number = real.getValue().convertToFloat();
      isOne ? reflection.SetFloat(&to, &field, number) : reflection.AddFloat(&to, &field, number);
      return success();
    }
    case FieldDescriptor::CPPTYPE_ENUM:
      if (const auto name = llvm::dyn_cast<mlir::StringAttr>(value)) {
        const auto *known = field.enum_type()->FindValueByName(name.str());
        if (!known)
          return wrongKind(
              field, fmt::format("expected a value of enumeration {}", field.enum_type()->name()).c_str());
        return setNumber(reflection, field, known->number(), to);
      }
      [[fallthrough]];
    default: {
      const auto number = llvm::dyn_cast<mlir::IntegerAttr>(value);
      if (!number || !number.getType().isInteger(64))
        return wrongKind(field, "expected a 64-bit integer");
      return setNumber(reflection, field, number.getInt(), to);
    }
    }
  }

  static Status setNumber(const Reflection &reflection, const FieldDescriptor &field, int64_t number,
                          Message &to) {
    const bool isOne = !field.is_repeated();
    const auto fits = [&]<class T>(T) {
      return number >= int64_t{std::numeric_limits<T>::min()} &&
             number <= int64_t{std::numeric_limits<T>::max()};
    };
    switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_ENUM:
    case FieldDescriptor::CPPTYPE_INT32:
      if (!fits(int32_t{}))
        return wrongKind(field, "expected a 32-bit integer");
      if (field.cpp_type() == FieldDescriptor::CPPTYPE_ENUM)
        isOne ? reflection.SetEnumValue(&to, &field, static_cast<int>(number))
              : reflection.AddEnumValue(&to, &field, static_cast<int>(number));
      else
        isOne ? reflection.SetInt32(&to, &field, static_cast<int32_t>(number))
              : reflection.AddInt32(&to, &field, static_cast<int32_t>(number));
      return success();
    case FieldDescriptor::CPPTYPE_UINT32:
      if (!fits(uint32_t{}))
        return wrongKind(field, "expected 0..4294967295");
      isOne ? reflection.SetUInt32(&to, &field, static_cast<uint32_t>(number))
            : reflection.AddUInt32(&to, &field, static_cast<uint32_t>(number));
      return success();
    case FieldDescriptor::CPPTYPE_INT64:
      isOne ? reflection.SetInt64(&to, &field, number) : reflection.AddInt64(&to, &field, number);
      return success();
    case FieldDescriptor::CPPTYPE_UINT64:
      isOne ? reflection.SetUInt64(&to, &field, static_cast<uint64_t>(number))
            : reflection.AddUInt64(&to, &field, static_cast<uint64_t>(number));
      return success();
    default:
      return unsupported(field.name(), "fields of this type are not supported in metadata");
    }
  }
};

} // namespace

mlir::DictionaryAttr dictionaryOf(mlir::MLIRContext *context, const Message &message) {
  return MessageWriter(context).write(message);
}

Status readDictionary(mlir::DictionaryAttr dictionary, Message &message) {
  return MessageReader::read(dictionary, message);
}

} // namespace tilerig::compiler::isa
