# Plain aggregates beside subqueries, which stand wherever SQL lets them, name columns of the query around them, and
# read its CTEs or those further out: answered near the truth, or refused with a way out. None fails inside the server.
#
#   IDP_PLAIN_SUBQUERIES   how many random statements (400)
#   IDP_PLAIN_SEED         of the random choices
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use PlainSql;
use Test::More;

my $tried = $ENV{IDP_PLAIN_SUBQUERIES} // 400;
my $seed = $ENV{IDP_PLAIN_SEED} // 1;
srand $seed;
note "IDP_PLAIN_SEED=$seed";

my $node = new_node('plain_subqueries', 'jit = off', 'fsync = off', "shared_preload_libraries = 'idp'",
	"timezone = 'UTC'");
my $s = session($node);
$s->value('CREATE ROLE owner LOGIN; CREATE ROLE analyst LOGIN');
$s->value(plain_tables() . protection());
my $a = session($node);
$a->value('SET ROLE analyst; SET idp.epsilon = 1e6');
my $owner = session($node);
$owner->value('SET ROLE owner');
$_->{quiet} = 1 foreach $s, $a, $owner;

# --- statements ---

sub one { return $_[ rand @_ ] }
sub maybe { return rand() < $_[0] ? $_[1] : '' }

# A number of a row of orders o, of regions, or of all; $ctes: names of CTEs with columns id and n that may be read.
sub number
{
	my ($of_row, @ctes) = @_;
	my $table = one('regions', 'regions', @ctes);
	return "(SELECT max(z.id) FROM $table z)" unless $of_row;
	return one("(SELECT z.id FROM $table z WHERE z.id = o.quantity)",
		"(SELECT max(z.id) FROM $table z WHERE z.id <= o.quantity)",
		"(SELECT count(*) FROM $table z WHERE z.id < o.quantity)",
		"(SELECT max(z.id) FROM $table z)",
			"(SELECT y.id FROM (SELECT z.id, o.quantity AS q FROM $table z) y WHERE y.id = y.q)",
			"(SELECT o.quantity + (SELECT count(*) FROM $table z WHERE z.id > o.quantity))");
}

sub condition
{
	my ($of_row, @ctes) = @_;
	my $table = one('regions', 'regions', @ctes);
	return one("EXISTS (SELECT 1 FROM $table z)", "2 IN (SELECT id FROM $table)", '2 <= ' . number(0, @ctes))
	  unless $of_row;
	return one("EXISTS (SELECT 1 FROM $table z WHERE z.id = o.quantity)",
		"NOT EXISTS (SELECT 1 FROM $table z WHERE z.id > o.quantity)", "o.quantity IN (SELECT z.id FROM $table z)",
		"o.quantity = ANY (SELECT z.id FROM $table z WHERE z.id < o.quantity + 1)",
		"o.quantity < ALL (SELECT z.id + 2 FROM $table z)", "(o.quantity, 2) IN (SELECT z.id, 2 FROM $table z)",
			"2 = ANY (ARRAY(SELECT z.id FROM $table z WHERE z.id = o.quantity))", number(1, @ctes) . ' > 1',
			'o.quantity > 2');
}

sub argument
{
	return one(('o.quantity', 'o.amount') x 2, '1', number(1, @_), 'coalesce(' . number(1, @_) . ', 0)',
		'CASE WHEN ' . condition(1, @_) . ' THEN o.quantity END');
}
sub aggregate
{
	my $filter = maybe(0.3, ' FILTER (WHERE ' . condition(1, @_) . ')');
	return one('count(*)', 'count(*)', 'sum(' . argument(@_) . ')', 'sum(o.amount)', 'count(' . argument(@_) . ')',
		'avg(o.quantity)', 'avg(' . argument(@_) . ')', 'count(DISTINCT ' . argument(@_) . ')', 'max(o.quantity)',
		'min(CASE WHEN ' . condition(1, @_) . ' THEN o.quantity END)') . $filter;
}

# A level that aggregates, with keys that have domains.
sub level
{
	my @outer = @_;
	my @own = rand() < 0.4 ? ('w') : ();
	my @ctes = (@outer, @own);
	my $with = @own ? 'WITH w AS ' . maybe(0.5, 'MATERIALIZED ') . '(SELECT id, length(name) AS n FROM regions) ' : '';
	my $from = one('orders o', 'orders o', '(SELECT * FROM orders) o', 'sales o',
		'orders o JOIN customers c ON c.id = o.customer_id',
		'orders o JOIN regions g ON g.id = o.quantity AND ' . condition(1, @ctes),
		'orders o, LATERAL (SELECT ' . number(1, @ctes) . ' AS n) l',
		'orders o LEFT JOIN ' . one('regions', @ctes) . ' g ON g.id = o.quantity');
	my $key = one('', '', '', 'o.status', 'o.status', 'o.channel', 'o.status, o.channel', number(1, @ctes));
	my @values = map { aggregate(@ctes) } 1 .. 1 + int rand 3;
	push @values, number(0, @ctes) if rand() < 0.2;
	push @values, condition(0, @ctes) if rand() < 0.1;
	push @values, 'count(*) * ' . number(0, @ctes) if rand() < 0.2;
	push @values, 'sum(count(*)) OVER (ORDER BY count(*) ROWS ' . number(0, @ctes) . ' PRECEDING) > 0' if rand() < 0.1;
	push @values, "(SELECT o.status || z.id FROM regions z WHERE z.id = 1)" if $key eq 'o.status' && rand() < 0.3;
	my $number = 0;
	my $list = join ', ', map { "$_ AS v" . ++$number } @values;
	return $with . 'SELECT ' . ($key ? "$key" . ($key =~ /,/ ? '' : ' AS k') . ', ' : '') . "$list FROM $from"
		. maybe(0.4, ' WHERE ' . condition(1, @ctes)) . ($key ? " GROUP BY $key" : '')
		. maybe(0.2, ' HAVING ' . one('count(*) > 0', condition(0, @ctes), 'count(*) >= ' . number(0, @ctes),
			'sum(o.quantity) > ' . number(1, @ctes))) . maybe(0.2, ' ORDER BY ' . one('1', 'count(*)',
			number(0, @ctes)))
		. maybe(0.2, ' LIMIT ' . one('1000', '100 * ' . number(0, @ctes), "(SELECT 1000 WHERE " . condition(0, @ctes)
			  . ')')) . maybe(0.05, ' OFFSET 0 * ' . number(0, @ctes));
}

# Subqueries for each hidden row: joins stand for them.
sub of_persons
{
	my @answers = ('count(*)', 'count(*)', 'sum(z.quantity)', 'coalesce(sum(z.quantity), 0)', 'max(z.quantity)',
		'count(*)::int + 1', 'count(z.status)');
	my $n = sub { '(SELECT ' . one(@answers) . ' FROM orders z WHERE ' . one('z.customer_id = c.id',
		'c.id = z.customer_id') . maybe(0.4, " AND z.status = 'paid'") . maybe(0.2,
		' AND z.quantity IN (SELECT id FROM regions)') . ')' };
	my $name = '(SELECT g.name FROM regions g WHERE g.id = c.region_id)';
	my $key = one('', '', "$name", 'c.region_id', 'CASE WHEN ' . $n->() . " > 3 THEN 'many' ELSE 'few' END");
	my $where = one($n->() . ' ' . one('>= 3', '= 0', '< 5', 'IS NOT NULL'), "$name LIKE '%o%'",
		'EXISTS (SELECT 1 FROM orders z WHERE z.customer_id = c.id GROUP BY z.customer_id HAVING ' . one('count(*) > 3',
		'sum(z.quantity) >= 8') . ')',
		"c.region_id = (SELECT g.id FROM regions g WHERE g.name = 'north')",
		'NOT EXISTS (SELECT 1 FROM orders z WHERE z.customer_id = c.id GROUP BY z.customer_id HAVING count(*) > 3)');
	my @values = map { one('count(*)', 'sum(' . $n->() . ')', 'avg(' . $n->() . ')',
		'count(*) FILTER (WHERE ' . $n->() . ' > 2)', 'count(' . $n->() . ')',
		$key =~ /CASE/ ? () : 'percentile_disc(0.5) WITHIN GROUP (ORDER BY ' . $n->() . ')') } 1 .. 1 + int rand 2;
	return 'SELECT ' . join(', ', $key ? $key : (), @values) . ' FROM customers c'
	  . maybe(0.3, ' JOIN regions r ON r.id = c.region_id') . maybe(0.6, " WHERE $where") . ($key ? ' GROUP BY 1' : '');
}

# Windows over the orders of each customer, also where they leave the order of a day's open, which plain SQL may choose.
sub of_windows
{
	my $w = '(PARTITION BY customer_id ORDER BY day' . maybe(0.5, ', id') . ')';
	my $rows = "(SELECT o.*, row_number() OVER $w AS n, lag(day) OVER $w AS before, min(day) OVER (PARTITION BY "
		. "customer_id) AS first, count(*) OVER (PARTITION BY customer_id) AS orders, sum(quantity) OVER "
		. "(PARTITION BY customer_id) AS bought FROM orders o) o";
	my @values = map { one('count(*)', 'count(*) FILTER (WHERE n = 1)', 'count(*) FILTER (WHERE day = first)',
		'avg(day - before)', 'avg(quantity::numeric / bought)', 'count(before)', 'sum(quantity)') } 1 .. 1 + int rand 2;
	my $key = one('', 'status', "CASE WHEN n = 1 THEN 'first' ELSE 'later' END",
		"CASE WHEN day = first THEN 'new' ELSE 'old' END", "date_trunc('quarter', first)");
	return 'SELECT ' . join(', ', $key ? $key : (), @values) . " FROM $rows" . maybe(0.5,
		' WHERE ' . one('n = 1', 'n <= 2', 'n > 1', 'before IS NOT NULL', 'orders > 3')) . ($key ? ' GROUP BY 1' : '');
}

sub statement
{
	my $with = 'WITH x AS ' . one('', 'MATERIALIZED ', 'NOT MATERIALIZED ')
	  . '(SELECT id, length(name) AS n FROM regions' . maybe(0.3, ' WHERE id IN (SELECT z.id FROM regions z)') . ') ';
	return one(
		sub { level() }, sub { level() }, sub { $with . 'SELECT * FROM (' . level('x') . ') q' },
		sub { 'SELECT * FROM (' . level() . ') q WHERE EXISTS (SELECT 1 FROM regions)' },
		sub { $with . 'SELECT r.id, q.* FROM x r, (' . level('x') . ') q' },
		sub { $with . 'SELECT (SELECT count(*) FROM (' . level('x') . ') q), (SELECT max(id) FROM x)' },
		sub {
			$with . ', q AS (' . level('x') . ') SELECT * FROM q WHERE ' . one('true', '(SELECT max(id) FROM x) > 1')
		},
		sub { 'SELECT r.id, (SELECT ' . aggregate() . ' FROM orders o WHERE o.quantity = r.id) FROM regions r' },
		sub { $with . 'SELECT r.id, l.* FROM regions r, LATERAL (' . level('x') . ') l' },
		# of groups by subqueries, the private answer counts those without rows, too
		sub { my $level; do { $level = level() } while $level =~ /GROUP BY \(/; "SELECT count(*) FROM ($level) q" },
			sub { 'SELECT EXISTS (SELECT count(*) FROM (' . level() . ') q)' },
			sub {
				'SELECT k FROM (SELECT 1 AS k, '
				  . aggregate() . ' FROM orders o FULL JOIN regions g ON g.id = o.quantity) q'
			},
		sub { 'SELECT DISTINCT ' . one('o.status',
			'o.channel, o.status') . ' FROM orders o ' . one('LEFT JOIN customers c ON c.id = o.customer_id',
			'LEFT JOIN regions g ON g.id = o.quantity', 'JOIN customers c ON c.id = o.customer_id') . maybe(0.3,
			' LIMIT ' . number(0)) },
		sub { '(' . level() . ') UNION ALL (' . level() . ')' }, sub { of_persons() }, sub { of_windows() })->();
}

# --- what becomes of them ---

my %seen = map { $_ => 0 } qw(answered refused failed impossible);
my @wrong;
foreach (1 .. $tried)
{
	my $sql = statement();
	my $true = $owner->run($sql);
	if (defined $true->{message}) { $seen{impossible}++; next }
	my $got = $a->run($sql);
	if (!defined $got->{message})
	{
		$seen{answered}++;
		my $difference = difference_but_empty($true->{out}, $got->{out}, 0.05);
		push @wrong, "$difference: $sql" if $difference ne '';
		next;
	}
	$seen{refused}++;
	push @wrong, "$got->{sqlstate} $got->{message}: $sql"
	  if $got->{sqlstate} =~ /^XX/
	  || $got->{message} !~
	  /: (?:group by|name|write|ask|use|add|join|leave|compute|choose|give|apply|the owner|aggregate|partition|.* is answered)|group by/;
}
note join ', ', map { "$_ $seen{$_}" } sort keys %seen;
is(join("\n", @wrong), '', "$tried random statements: near the truth, or refused with a way out");
cmp_ok($seen{answered}, '>', $tried / 5, "$seen{answered} are answered");

$_->quit foreach $a, $owner, $s;
$node->stop;
done_testing();
