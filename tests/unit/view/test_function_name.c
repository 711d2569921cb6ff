/* Claims about profiler/view/function_name.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "profiler/view/function_name.h"

static void read_as(const char *whole, const char *wanted)
{
	char text[512];

	assert_string_equal(function_name(text, sizeof(text), whole, "*"), wanted);
}

static void parameters_are_left_out(void **state)
{
	(void)state;
	read_as("main", "main");
	read_as("Store::fill()", "Store::fill");
	read_as("operator new(unsigned long)", "operator new");
	read_as("Cache<int>::put(unsigned long) const", "Cache<int>::put");
	read_as("(anonymous namespace)::load(int)", "(anonymous namespace)::load");
	read_as("a::(anonymous namespace)::load(int)", "a::(anonymous namespace)::load");
	read_as("decltype (f(x)) g<int>(int)", "decltype (f(x)) g<int>");
}

static void a_parenthesis_within_arguments_of_a_template_is_no_end(void **state)
{
	(void)state;
	read_as("run<void (int)>(int)", "run<void (int)>");
	read_as("Call<Tensor (Key, Ref), &at::(anonymous namespace)::empty>::call(Key)",
		"Call<*>::call");
	read_as("<dyn Fn<(), Output = i32> as FnOnce<()>>::call_once",
		"<dyn Fn<(), Output = i32> as FnOnce<()>>::call_once");
	read_as("f::<fn(u8) -> u8>::g", "f::<fn(u8) -> u8>::g");
}

static void an_operator_keeps_its_sign(void **state)
{
	(void)state;
	read_as("operator()", "operator()");
	read_as("Less::operator()(int, int) const", "Less::operator()");
	read_as("main::{lambda(int)#1}::operator()(int) const",
		"main::{lambda(int)#1}::operator()");
	read_as("load(char const*)::{lambda(int)#1}::operator()(int) const",
		"load(char const*)::{lambda(int)#1}::operator()");
	read_as("std::ostream& operator<< <char>(std::ostream&, char)",
		"std::ostream& operator<< <char>");
	read_as("Map<int, char>::operator[](int const&)", "Map<int, char>::operator[]");
	read_as("A::operator->() const", "A::operator->");
	read_as("bool operator>(A, A)", "bool operator>");
	read_as("my_operator(int)", "my_operator");
}

static void a_long_name_is_told_without_what_its_brackets_hold(void **state)
{
	(void)state;
	read_as("std::vector<std::unique_ptr<double []>, std::allocator<std::unique_ptr<double []>>>::at(long)",
		"std::vector<*>::at");
	read_as("<alloc::vec::Vec<T,A> as alloc::vec::spec_extend::SpecExtend<T,I>>::spec_extend",
		"<alloc::vec::Vec<*> as alloc::vec::spec_extend::SpecExtend<*>>::spec_extend");
	read_as("std::panicking::catch_unwind::do_call::<std::rt::lang_start_internal::{closure#0}, isize>",
		"std::panicking::catch_unwind::do_call::<*>");
	read_as("std::ostream& some::very::long_name::space::with::parts::operator<< <std::char_traits<char> >(int)",
		"std::ostream& some::very::long_name::space::with::parts::operator<< <std::char_traits<*> >");
	read_as("load(std::vector<char> const&, std::map<int, std::string>)::{lambda(char const*)#1}::operator()(char const*) const",
		"load(*)::{lambda(*)#1}::operator()");
	read_as("void Function::initialize<Wrapped<int> >(Wrapped<int> const&)::{lambda(Wrapped<int> const&)#1}::_FUN",
		"void Function::initialize<*>(*)::{lambda(*)#1}::_FUN");
}

static void names_that_close_nothing_end(void **state)
{
	char text[8];

	(void)state;
	read_as("", "");
	read_as("a<b", "a<b");
	read_as("a(", "a");
	read_as("(", "(");
	read_as(">>>", ">>>");
	read_as("a{(", "a{(");
	assert_string_equal(function_name(text, sizeof(text), "abcdefghij", "*"), "abcdefg");
	for (int i = 0; i < 90; i++) {
		char name[100];

		memset(name, "<({[>)}]:a"[i % 10], sizeof(name) - 1);
		name[sizeof(name) - 1] = '\0';
		assert_true(strlen(function_name(text, sizeof(text), name, "...")) < sizeof(text));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parameters_are_left_out),
		cmocka_unit_test(a_parenthesis_within_arguments_of_a_template_is_no_end),
		cmocka_unit_test(an_operator_keeps_its_sign),
		cmocka_unit_test(a_long_name_is_told_without_what_its_brackets_hold),
		cmocka_unit_test(names_that_close_nothing_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
