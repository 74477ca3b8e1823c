// SPDX-License-Identifier: Apache-2.0
#include "Arrays.h"
#include "Errors.h"
#include "Unlocked.h"
#include <array>
#include <cstring>

namespace nb = nanobind;
using namespace nb::literals;
using namespace smp;
using namespace smp::python;

namespace {

struct TypeRow {
  const char *numpy;
  nb::dlpack::dtype_code code;
};
using enum nb::dlpack::dtype_code;
// By smp::DType.
constexpr TypeRow kTypes[kNumDTypes] = {
    {"float64", Float}, {"float32", Float}, {"bfloat16", Bfloat},
    {"float16", Float}, {"int64", Int},     {"int32", Int},
    {"int16", Int},     {"int8", Int},      {"uint64", UInt},
    {"uint32", UInt},   {"uint16", UInt},   {"uint8", UInt},
    {"bool", Bool}};

} // namespace

const char *smp::python::numpyName(DType type) {
  return kTypes[size_t(type)].numpy;
}

static std::string called(const char *what, std::string_view name) {
  return std::string(what) + " '" + std::string(name) + "'";
}

static std::string textOf(nb::handle value) { return nb::str(value).c_str(); }

/// "a numpy.ndarray of dtype >f4"
static std::string described(nb::handle value) {
  std::string words = std::string("a ") + nb::type_name(value.type()).c_str();
  if (const nb::object type = nb::getattr(value, "dtype", nb::none());
      !type.is_none())
    words += " of dtype " + textOf(type);
  return words;
}

/// Of an array, or an error that says what it is.
static DType typeOf(const nb::dlpack::dtype &type, const std::string &what) {
  for (size_t i = 0; type.lanes == 1 && i < kNumDTypes; ++i)
    if (nb::dlpack::dtype_code(type.code) == kTypes[i].code &&
        type.bits == 8 * sizeOf(DType(i)))
      return DType(i);
  raise(invalidArgument(what + " has " + std::to_string(type.bits) +
                        "-bit elements of DLPack's type " +
                        std::to_string(type.code) +
                        ", which smp has not; convert it"));
}

/// What `make` gives, kept in `slot`: what the interpreter imports lives as
/// long as it. Slots are static without an initializer that runs: to import is
/// to let go of the interpreter's lock, with which another thread would then
/// wait for the initializer to end.
template <typename Make>
static nb::handle madeOnce(PyObject *&slot, Make &&make) {
  if (slot)
    return slot;
  nb::object made = make();
  if (!slot)
    slot = made.release().ptr();
  return slot;
}

static nb::object makeNumpyType(DType type) {
  const nb::object make = attributeOf("numpy", "dtype");
  if (type != DType::BF16)
    return make(numpyName(type));
  try {
    return make(attributeOf("ml_dtypes", "bfloat16"));
  } catch (nb::python_error &error) {
    if (!error.matches(PyExc_ImportError))
      throw;
  }
  raise(failedPrecondition("NumPy has no bfloat16; install ml_dtypes"));
}

static nb::handle numpyType(DType type) {
  static constinit std::array<PyObject *, kNumDTypes> known = {};
  return madeOnce(known[size_t(type)], [&] { return makeNumpyType(type); });
}

static bool isBfloat16OfNumpy(nb::handle value) {
  const nb::object type = nb::getattr(value, "dtype", nb::none());
  return !type.is_none() &&
         nb::isinstance<nb::str>(nb::getattr(type, "name", nb::none())) &&
         textOf(type.attr("name")) == "bfloat16" &&
         nb::hasattr(value, "__array_interface__");
}

static bool isOnHost(const nb::ndarray<nb::ro> &array) {
  return array.device_type() == nb::device::cpu::value ||
         array.device_type() == nb::device::cuda_host::value;
}

/// Copies what lies below one index for each dimension before `axis`,
/// row-major. Elements have `Bytes` bytes.
template <size_t Bytes>
static void copyBelow(const nb::ndarray<nb::ro> &array, size_t axis,
                      const std::byte *from, std::byte *&to) {
  const int64_t step = array.stride(axis) * int64_t(Bytes);
  const bool isLast = axis + 1 == array.ndim();
  for (size_t i = 0; i < array.shape(axis); ++i) {
    const std::byte *each = from + int64_t(i) * step;
    if (isLast) {
      std::memcpy(to, each, Bytes);
      to += Bytes;
    } else {
      copyBelow<Bytes>(array, axis + 1, each, to);
    }
  }
}

/// The elements of an array of at least one dimension, row-major.
static std::vector<std::byte> copyOf(const nb::ndarray<nb::ro> &array) {
  std::vector<std::byte> copy(array.nbytes());
  const auto *from = static_cast<const std::byte *>(array.data());
  std::byte *to = copy.data();
  switch (array.itemsize()) {
  case 1:
    copyBelow<1>(array, 0, from, to);
    break;
  case 2:
    copyBelow<2>(array, 0, from, to);
    break;
  case 4:
    copyBelow<4>(array, 0, from, to);
    break;
  default: // All types that smp has are of 1, 2, 4 or 8.
    copyBelow<8>(array, 0, from, to);
  }
  return copy;
}

/// Its capsule. Who lends what may not be written says so in a versioned one,
/// and refuses another by BufferError; else what is raised is the caller's.
static nb::object dlpackOf(nb::handle value) {
  const nb::object lend = value.attr("__dlpack__");
  try {
    return whileItLasts([&] { return lend(); });
  } catch (nb::python_error &error) {
    if (!error.matches(PyExc_BufferError))
      throw;
  }
  const nb::tuple version = nb::make_tuple(1, 0);
  return whileItLasts([&] { return lend("max_version"_a = version); });
}

ReadArray::ReadArray(nb::handle value, DType wanted, const char *what,
                     std::string_view name) {
  nb::object given = nb::borrow(value);
  if (given.is_none()) // Which NumPy takes for a NaN.
    raise(invalidArgument(called(what, name) + " is None; give it a value"));
  if (!nb::ndarray_check(given)) {
    static constinit PyObject *slot = nullptr;
    const nb::handle asArray =
        madeOnce(slot, [] { return attributeOf("numpy", "asarray"); });
    const nb::handle as = numpyType(wanted);
    given = whileItLasts([&] { return asArray(given, as); });
  }
  if (!PyObject_CheckBuffer(given.ptr()) && nb::hasattr(given, "__dlpack__"))
    given = dlpackOf(given);
  std::optional<DType> seen;
  if (!nb::try_cast(given, array, false)) {
    PyErr_Clear();
    // NumPy lends its own types alone.
    if (!isBfloat16OfNumpy(given))
      raise(invalidArgument(called(what, name) + " is " + described(value) +
                            ", which lends no memory that can be read"));
    array = nb::cast<nb::ndarray<nb::ro>>(given.attr("view")("uint16"));
    seen = DType::BF16;
  }
  type = seen ? *seen : typeOf(array.dtype(), called(what, name));
  if (!isOnHost(array))
    raise(invalidArgument(called(what, name) +
                          " is on a device; move it to host memory"));
  int64_t expected = 1;
  bool isRowMajor = true;
  for (size_t i = array.ndim(); i-- > 0;) {
    isRowMajor &= array.shape(i) == 1 || array.stride(i) == expected;
    expected *= int64_t(array.shape(i));
  }
  if (!isRowMajor && expected != 0)
    copied = copyOf(array);
}

TensorView ReadArray::view() const {
  return {type,
          {array.shape_ptr(), array.ndim()},
          copied.empty() ? array.data() : copied.data()};
}

WrittenArray::WrittenArray(nb::handle value, DType wanted,
                           std::string_view name) {
  const std::string what = called("out", name);
  nb::object given = nb::borrow(value);
  if (wanted == DType::BF16 && isBfloat16OfNumpy(given))
    given = given.attr("view")("uint16");
  else if (nb::ndarray<nb::ro> any; nb::try_cast(given, any, false))
    if (const DType has = typeOf(any.dtype(), what); has != wanted)
      raise(invalidArgument(what + " has " + std::string(toString(has)) +
                            " elements; the output has " +
                            std::string(toString(wanted))));
  nb::ndarray<nb::c_contig, nb::device::cpu> found;
  if (!nb::try_cast(given, found, false)) {
    PyErr_Clear();
    raise(invalidArgument(what + " is " + described(value) +
                          " that cannot be written where it is; give a "
                          "writable row-major array in host memory"));
  }
  array = nb::ndarray<>(found);
}

nb::object smp::python::makeArray(DType type, std::span<const int64_t> shape,
                                  void *&data) {
  static constinit PyObject *slot = nullptr;
  const nb::handle empty =
      madeOnce(slot, [] { return attributeOf("numpy", "empty"); });
  const nb::object dimensions =
      nb::steal(PyTuple_New(Py_ssize_t(shape.size())));
  if (!dimensions.is_valid())
    throw nb::python_error();
  for (size_t i = 0; i < shape.size(); ++i)
    PyTuple_SET_ITEM(dimensions.ptr(), Py_ssize_t(i),
                     PyLong_FromLongLong(shape[i]));
  nb::object made = empty(dimensions, numpyType(type));
  Py_buffer buffer;
  nb::object bytes = made;
  if (type == DType::BF16)
    bytes = made.attr("view")("uint16");
  if (PyObject_GetBuffer(bytes.ptr(), &buffer, PyBUF_WRITABLE) != 0)
    throw nb::python_error();
  data = buffer.buf; // Of `made`, which does not move it.
  PyBuffer_Release(&buffer);
  return made;
}
