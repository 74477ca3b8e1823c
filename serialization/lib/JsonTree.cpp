// SPDX-License-Identifier: Apache-2.0
#include "smp/serialization/JsonTree.h"
#include "JsonEvents.h"

namespace smp {

using nlohmann::json;

const JsonTree *JsonTree::find(std::string_view name) const {
  if (kind == Kind::Object)
    for (size_t i = 0; i < parts->names.size(); ++i)
      if (parts->names[i] == name)
        return &parts->values[i];
  return nullptr;
}

bool parseJson(std::string_view text, json::json_sax_t &events) {
  // json::sax_parse() would bring the readers of all binary formats with it.
  auto input = nlohmann::detail::input_adapter(text.begin(), text.end());
  nlohmann::detail::parser<json, decltype(input)> parser(
      std::move(input), /*cb=*/nullptr, /*allow_exceptions_=*/false);
  return parser.sax_parse(&events);
}

namespace {
class TreeBuilder : public json::json_sax_t {
public:
  explicit TreeBuilder(size_t deepest) : deepest(deepest) {}

  JsonTree root;
  bool isTooDeep = false;

  bool null() override { return add(JsonTree::Kind::Null); }
  bool boolean(bool value) override {
    return add(value ? JsonTree::Kind::True : JsonTree::Kind::False);
  }
  bool binary(json::binary_t &) override { return false; }
  bool number_integer(int64_t value) override {
    return addNumber(double(value));
  }
  bool number_unsigned(uint64_t value) override {
    add(JsonTree::Kind::Whole);
    last->whole = value;
    last->number = double(value);
    return true;
  }
  bool number_float(double value, const std::string &) override {
    return addNumber(value);
  }
  bool string(std::string &value) override {
    add(JsonTree::Kind::Text);
    last->parts = std::make_unique<JsonTree::Parts>();
    last->parts->text = std::move(value);
    return true;
  }
  bool key(std::string &name) override {
    open.back()->parts->names.push_back(std::move(name));
    return true;
  }
  bool start_object(size_t) override { return enter(JsonTree::Kind::Object); }
  bool start_array(size_t) override { return enter(JsonTree::Kind::List); }
  bool end_object() override { return leave(); }
  bool end_array() override { return leave(); }
  bool parse_error(size_t, const std::string &,
                   const nlohmann::detail::exception &) override {
    return false;
  }

private:
  bool add(JsonTree::Kind kind) {
    last = open.empty() ? &root : &open.back()->parts->values.emplace_back();
    last->kind = kind;
    return true;
  }
  bool addNumber(double value) {
    add(JsonTree::Kind::Number);
    last->number = value;
    return true;
  }
  /// What is open stays where it is: values are added to the innermost alone.
  bool enter(JsonTree::Kind kind) {
    isTooDeep = open.size() == deepest;
    if (isTooDeep)
      return false;
    add(kind);
    last->parts = std::make_unique<JsonTree::Parts>();
    open.push_back(last);
    return true;
  }
  bool leave() {
    open.pop_back();
    return true;
  }

  const size_t deepest;
  std::vector<JsonTree *> open;
  JsonTree *last = nullptr; // That was added.
};
} // namespace

StatusOr<JsonTree> parseJsonObject(std::string_view text, size_t deepest) {
  TreeBuilder builder(deepest);
  const bool isGood = parseJson(text, builder);
  if (builder.isTooDeep)
    return dataLoss("it is nested deeper than " + std::to_string(deepest));
  if (!isGood || builder.root.kind != JsonTree::Kind::Object)
    return dataLoss("it is no JSON object");
  return std::move(builder.root);
}

std::string jsonLiteral(std::string_view text) {
  static constexpr std::string_view kPlain = "\"\\\b\f\n\r\t",
                                    kLetters = "\"\\bfnrt";
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string literal = "\"";
  for (const char c : text) {
    const size_t at = kPlain.find(c);
    if (at != kPlain.npos) {
      literal += '\\';
      literal += kLetters[at];
    } else if (static_cast<unsigned char>(c) < 0x20) {
      literal += "\\u00";
      literal += kDigits[c >> 4];
      literal += kDigits[c & 15];
    } else {
      literal += c;
    }
  }
  literal += '"';
  return literal;
}

} // namespace smp
