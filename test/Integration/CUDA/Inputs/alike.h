// Whether functions, or pointers to some, take and return what is as large, and
// pointers where the others do.
#include <type_traits>

template <typename A, typename B>
constexpr bool isAlike =
    sizeof(A) == sizeof(B) && std::is_pointer_v<A> == std::is_pointer_v<B> &&
    std::is_class_v<A> == std::is_class_v<B>;

template <typename A, typename B> struct AreAlike : std::false_type {};
template <typename R, typename... As, typename S, typename... Bs>
struct AreAlike<R (*)(As...), S (*)(Bs...)> {
  static constexpr bool check() {
    if constexpr (sizeof...(As) == sizeof...(Bs))
      return isAlike<R, S> && (isAlike<As, Bs> && ...);
    else
      return false;
  }
  static constexpr bool value = check();
};
