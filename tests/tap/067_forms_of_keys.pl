# Keys of groups look the same whatever rows there are: equal values have one form, as 0 and -0, 1.0 and 1.00, or NaN
# and NaN do not. All operations over a column and over special numbers, nested, in tables of one row each. What a group
# shows must not follow the row: the expression is refused, or its keys are the same in all tables, byte for byte. Two
# things see to that, each alone passes here: such expressions are refused (domain/key_forms.cpp), and shown keys are
# brought to one form (total/one_form.cpp).
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use Test::More;

my $node = new_node('forms_of_keys', 'fsync = off', 'jit = off', "shared_preload_libraries = 'idp'",
	'extra_float_digits = 3');
my $s = session($node);
$s->value('CREATE ROLE owner; CREATE ROLE analyst; GRANT CREATE ON SCHEMA public TO owner');
my @ages = (-3, -1, 0, 1, 4);
foreach my $table (0 .. $#ages)
{
	$s->value("SET ROLE owner; CREATE TABLE t$table (age int NOT NULL); INSERT INTO t$table VALUES ($ages[$table]); "
		  . "SELECT idp.protect('t$table', 1e12); SELECT idp.set_domain('t$table', 'age', -3, 4); "
		  . "GRANT SELECT ON t$table TO analyst; RESET ROLE");
}
my $a = session($node);
$a->{quiet} = 1;
$a->value('SET ROLE analyst; SET extra_float_digits = 3');

my %specials = (
	float8 => [ map { "float8 '$_'" } '0', '-0', '1', '-1', '2.5', '-0.5', '1e-300', '-1e-300', '5e-324', '1e300',
		'-1e300', 'Infinity', '-Infinity', 'NaN' ],
	numeric => [ map { "numeric '$_'" } '0', '0.00', '1', '-1', '1.00', '2.5', '-0.50', '1e-20', '1e20',
		($major >= 14 ? ('Infinity', '-Infinity') : ()), 'NaN' ],);
my %operators = (float8 => [ '+', '-', '*', '/', '^' ], numeric => [ '+', '-', '*', '/', '%', '^' ]);
my %functions = (
	float8 => [ 'floor(%s)', 'ceil(%s)', 'trunc(%s)', 'round(%s)', 'abs(%s)', '- (%s)', 'sign(%s)', 'coalesce(%s, 0)',
		'nullif(%s, 1)', 'greatest(%s, 0)', 'CASE WHEN age > 0 THEN %s ELSE 0 END' ],
	numeric => [ 'floor(%s)', 'ceil(%s)', 'trunc(%s, 1)', 'round(%s, 1)', 'round(%s)', 'abs(%s)', '- (%s)',
		'(%s)::numeric(20, 2)', '"numeric"(%s, -1)', 'coalesce(%s, 0)', 'coalesce(%s, 0.00)', 'nullif(%s, 1)',
		'CASE WHEN age > 0 THEN %s ELSE 0 END' ],);

srand 1;
my @expressions;
foreach my $type ('float8', 'numeric')
{
	my @inner = ("age::$type");
	foreach my $operator (@{ $operators{$type} })
	{
		push @inner, map { ("age::$type $operator $_", "$_ $operator age::$type") } @{ $specials{$type} };
	}
	# choices of two special numbers, and an operation over that
	my @few = map { "$type '$_'" }
	  '0', '1', 'NaN', ($type eq 'float8' || $major >= 14 ? ('Infinity', '-Infinity') : ());
	foreach (1 .. 600)
	{
		my @special = map { $few[ int rand @few ] } 1 .. 3;
		my $operator = $operators{$type}[ int rand @{ $operators{$type} } ];
		push @expressions, "CASE WHEN age > 0 THEN $special[0] ELSE $special[1] END $operator $special[2]";
	}
	push @expressions, @inner, map { my $function = $_; map { sprintf $function, $_ } @inner } @{ $functions{$type} };
	# an operation over an operation: each a few times
	push @expressions, map {
		my $one = $inner[ ($_ * 37) % @inner ];
		my $operator = $operators{$type}[ $_ % @{ $operators{$type} } ];
		my $special = $specials{$type}[ ($_ * 11) % @{ $specials{$type} } ];
		($_ % 2 ? "($one) $operator $special" : "$special $operator ($one)")
	} 1 .. 400;
}

my ($answered, $refused, @shown) = (0, 0);
foreach my $expression (@expressions)
{
	my $bytes = $expression =~ /float8/ ? 'float8send(k)' : 'numeric_send(k)';    # NaN has a sign
	my @keys = map {
		my $r = $a->run("SELECT concat_ws(' ', k, $bytes), n "
			  . "FROM (SELECT $expression AS k, dp_count(1e6) AS n FROM t$_ GROUP BY 1) s");
		join ' ', defined $r->{sqlstate} ? "error $r->{sqlstate}" : sort map { s/\|.*//r } split /\n/, $r->{out}
	} 0 .. $#ages;
	$keys[0] =~ /^error/ ? $refused++ : $answered++;
	push @shown, "$expression: " . join '; ', @keys if grep { $_ ne $keys[0] } @keys;
}
is(scalar(@shown), 0, 'keys are those of all tables') or diag join "\n", @shown[ 0 .. ($#shown < 20 ? $#shown : 20) ];
cmp_ok($answered, '>', 200, "many of them are answered: $answered, and $refused refused");

$_->quit foreach $s, $a;
$node->stop;
done_testing();
