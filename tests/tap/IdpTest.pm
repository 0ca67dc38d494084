# What the TAP tests share: a server with the extension, a session that reports errors as values,
# and the list of column types and aggregates with inputs on which they answer exactly.
#
#   IDP_SERVER_SETTINGS   lines of postgresql.conf with which a server finds the extension where it
#                         is installed; without them it must be in the server's own installation
package IdpTest;

use strict;
use warnings FATAL => 'all';

use Exporter 'import';
use Fcntl qw(:flock);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# PostgreSQL's modules send standard error to a file of their own by then.
$SIG{__DIE__} = sub { diag "died: @_" unless $^S; };

our @EXPORT =
  qw(new_node session fresh_query steps_of on_one_day kill_process $major $force_parallel @types @aggregates
  order_statistics counts parameters call exact_table);

# The server's version, and its setting that has every plan run by a worker if it can be.
our ($major) = `pg_config --version` =~ /(\d+)/;
our $force_parallel = $major >= 16 ? 'debug_parallel_query' : 'force_parallel_mode';

# A running server; conf: further lines for postgresql.conf. Every database made from template1
# has the extension unless conf starts with 'bare'.
sub new_node
{
	my ($name, @conf) = @_;
	my $bare = @conf && $conf[0] eq 'bare' && shift @conf;
	my $node = PostgreSQL::Test::Cluster->new($name);
	init($node, $bare ? undef : template());
	$node->append_conf('postgresql.conf', $_) foreach @conf;
	$node->start;
	return $node;
}

# template: a directory that initdb has made, to be copied in place of another call; undef for none.
sub init
{
	my ($node, $template) = @_;
	my $run = \&PostgreSQL::Test::Utils::system_or_bail;
	my $init =
	  sub { return $run->(defined $template && $_[0] eq 'initdb' ? ('cp', '-a', "$template/.", $node->data_dir) : @_) };
	{
		no warnings 'redefine';
		local *PostgreSQL::Test::Utils::system_or_bail = $init;
		$node->init(extra => [ '--locale=C', '--encoding=UTF8' ]);
	}
	# What is compiled is tested where it is switched on: compiling would take half of the time of all tests.
	$node->append_conf('postgresql.conf', "log_statement = none\nautovacuum = off\njit = off");
	$node->append_conf('postgresql.conf', $ENV{IDP_SERVER_SETTINGS}) if defined $ENV{IDP_SERVER_SETTINGS};
	return;
}

# The data directory of a server with the extension, which the first test makes for all of a run.
sub template
{
	my $template = "$PostgreSQL::Test::Utils::tmp_check/idp_template";
	open my $lock, '>', "$template.lock" or die "$template.lock: $!";
	flock $lock, LOCK_EX or die "$template.lock: $!";
	return $template if -d $template;
	my $node = PostgreSQL::Test::Cluster->new('template');
	init($node, undef);
	my $data = $node->data_dir;
	$node->start;
	$node->safe_psql($_, 'CREATE EXTENSION idp') foreach 'template1', 'postgres';
	$node->stop;
	# as initdb leaves it
	rename "$data/postgresql.conf", "$data/postgresql.conf.used" or die $!;
	open my $used, '<', "$data/postgresql.conf.used" or die $!;
	open my $bare, '>', "$data/postgresql.conf" or die $!;
	while (<$used>) { last if /^# Added by PostgreSQL/; print $bare $_ }
	close $bare;
	unlink "$data/postgresql.conf.used", "$data/postmaster.opts";
	PostgreSQL::Test::Utils::system_or_bail('cp', '-a', $data, "$template.new");
	rename "$template.new", $template or die $!;
	return $template;
}

# One connection that stays open. run() never dies of an error of the server. What it sends and reads is in the
# log of the test unless its {quiet} is set.
sub session
{
	my ($node, $database) = @_;
	return IdpTest::Session->new($node, $database // 'postgres');
}

# The steps of the plan that a session gets for a query, all of them, as the planner has made it: EXPLAIN
# shows an analyst none of those below private answers. In capitals, the upper ones first.
sub steps_of
{
	my ($session, $sql) = @_;
	my $printed = $session->run("SET client_min_messages = log; SET debug_print_plan = on; EXPLAIN $sql; "
		  . "RESET debug_print_plan; RESET client_min_messages")->{err};
	my ($plan) = $printed =~ /:planTree(.*?):rtable/s or die "no plan: $printed";
	my $expressions = join '|', qw(TARGETENTRY VAR CONST AGGREF OPEXPR FUNCEXPR PARAM RELABELTYPE BOOLEXPR NULLTEST
	  CASE\w* WHEN COALESCE\w* SCALARARRAYOPEXPR NESTLOOPPARAM);
	return join ' ', map { s/^AGG$/AGGREGATE/r } grep { !/^($expressions)$/ } $plan =~ /\{([A-Z]+)\b/g;
}

# The outcome of a query in a connection of its own, as its first statement.
sub fresh_query
{
	my ($node, $sql, $database) = @_;
	my ($ret, $out, $err) = $node->psql($database // 'postgres', $sql,
		on_error_stop => 0, extra_params => [ '-v', 'VERBOSITY=verbose' ]);
	return IdpTest::Session::outcome($out, $err);
}

# Waits for midnight, if it comes within so many seconds in the zone of the session or in one of those named: what
# follows, and takes less, is of one day.
sub on_one_day
{
	my ($session, $seconds, @zones) = @_;
	foreach my $zone ("current_setting('timezone')", map { "'$_'" } @zones)
	{
		$session->value("SELECT pg_sleep(rest + 1) FROM (SELECT clock_timestamp() AT TIME ZONE $zone AS t) c, "
			  . "LATERAL (SELECT extract(epoch FROM date_trunc('day', t) + interval '1 day' - t) AS rest) r "
			  . "WHERE rest < $seconds");
	}
	return;
}

# kill -9 of one process of a server, which then ends all others and recovers. Whether it is back: it
# may take connections before it has noticed.
sub kill_process
{
	my ($node, $pid) = @_;
	my $offset = -s $node->logfile;
	kill 'KILL', $pid;
	foreach (1 .. 6000)
	{
		return 1 if slurp_file($node->logfile, $offset) =~ /database system is ready to accept connections/;
		select undef, undef, undef, 0.01;
	}
	return 0;
}

# Column types. value(i) is an increasing function of an integer expression; the final function of
# the order statistics is idp.<typname>_final.
our @types = (
	{ name => 'int2', sql => 'smallint', value => sub { "($_[0])::smallint" } },
	{ name => 'int4', sql => 'integer', value => sub { "($_[0])::integer" } },
	{ name => 'int8', sql => 'bigint', value => sub { "(($_[0])::bigint * 1000000007)" } },
	{ name => 'float4', sql => 'real', value => sub { "(($_[0]) / 8.0)::real" } },
	{ name => 'float8', sql => 'double precision', value => sub { "(($_[0]) / 7.0)::float8" } },
	{ name => 'numeric', sql => 'numeric', value => sub { "(($_[0])::numeric / 4)" } },
	{ name => 'date', sql => 'date', value => sub { "(date '2000-02-27' + ($_[0])::int)" } },
	{
		name => 'timestamp',
		sql => 'timestamp',
		value => sub { "(timestamp '1999-12-31 23:00' + ($_[0])::int * interval '17 minutes')" }
	},
	{
		name => 'timestamptz',
		sql => 'timestamptz',
		value => sub { "(timestamptz '1999-12-31 23:00 UTC' + ($_[0])::int * interval '17 minutes')" }
	},);

# Aggregates over a column, with their parameters after epsilon for the values of exact_table():
# min and max are the smallest and the largest value(i) there.
our @aggregates = (
	{ name => 'idp_median', selects => 1, parameters => sub { () } },
	{ name => 'idp_quantile', selects => 1, parameters => sub { ('0.3') } },
	{ name => 'idp_min', selects => 1, parameters => sub { ($_[0]) } },
	{ name => 'idp_max', selects => 1, parameters => sub { ($_[1]) } },
	{ name => 'idp_kth_smallest', selects => 1, parameters => sub { ('3') } },
	{ name => 'idp_kth_largest', selects => 1, parameters => sub { ('3') } },
	{ name => 'idp_count_range', selects => 0, parameters => sub { ($_[0], $_[1]) } },
	{ name => 'dp_count_range', selects => 0, parameters => sub { ($_[0], $_[1]) } },);

sub order_statistics { return grep { $_->{selects} } @aggregates }
sub counts { return grep { !$_->{selects} } @aggregates }

# The arguments after the column. epsilon is 1000 for counts: then the probability of any noise is
# e^-1000. The order statistics of exact_table() have local sensitivity 0 and take any epsilon.
sub parameters
{
	my ($aggregate, $type) = @_;
	my $epsilon = $aggregate->{selects} ? '0.01' : '1000';
	return join ', ', $epsilon,
	  $aggregate->{parameters}->($type->{value}->('0'), $type->{value}->('10'));
}

sub call
{
	my ($aggregate, $type, $column) = @_;
	return "$aggregate->{name}($column, " . parameters($aggregate, $type) . ")";
}

# A query for 100 values x of the type in runs of equal ones, so that the local sensitivity of
# every aggregate above is 0, with row number i.
sub exact_table
{
	my ($type) = @_;
	return "SELECT i, " . $type->{value}->('(i + 5) / 10') . " AS x FROM generate_series(0, 99) i";
}

# A psql that reads statements from us. (PostgreSQL's own module for it came with 16, and works in
# another way in each version.)
package IdpTest::Session;

use IPC::Run;

sub new
{
	my ($class, $node, $database) = @_;
	my $self = bless { stdin => '', stdout => '', stderr => '', count => 0,
		timeout => IPC::Run::timeout($ENV{PG_TEST_TIMEOUT_DEFAULT} || 180) }, $class;
	my @psql = ('psql', '-XAtq', '-d', $node->connstr($database), '-f', '-', '-v', 'VERBOSITY=verbose');
	$self->{psql} = IPC::Run::start(\@psql, '<', \$self->{stdin}, '>', \$self->{stdout},
		'2>', \$self->{stderr}, $self->{timeout});
	$self->{pid} = $self->value('SELECT pg_backend_pid()');
	return $self;
}

# What psql printed, as a record: out, err, and of the first error sqlstate, message, detail and hint
# (undef if there was none).
sub outcome
{
	my ($out, $err) = @_;
	my %outcome = (out => $out, err => $err);
	if ($err =~ /(ERROR|FATAL|PANIC):  (\w{5}): (.*)/)
	{
		@outcome{qw(sqlstate message)} = ($2, $3);
		$outcome{detail} = $err =~ /^DETAIL:  (.*)/m ? $1 : '';
		$outcome{hint} = $err =~ /^HINT:  (.*)/m ? $1 : '';
	}
	return \%outcome;
}

sub run
{
	my ($self, $sql) = @_;
	$self->start($sql);
	return $self->finish;
}

# Sends statements without waiting for their results, which finish() returns as run() does.
sub start
{
	my ($self, $sql) = @_;
	Test::More::note $sql unless $self->{quiet};
	$self->{timeout}->start;    # the limit is for one query
	$self->{end} = 'end of query ' . ++$self->{count};
	$self->{stdin} .= "$sql\n;\n\\echo '$self->{end}'\n\\warn '$self->{end}'\n";
	$self->{psql}->pump_nb while length $self->{stdin};
	return;
}

sub finish
{
	my ($self) = @_;
	my $end = qr/\n?\Q$self->{end}\E\n/;
	until ($self->{stdout} =~ $end && $self->{stderr} =~ $end)
	{
		die 'psql query timed out' if $self->{timeout}->is_expired;
		$self->{psql}->pump;
	}
	my ($out, $err) = @$self{qw(stdout stderr)};
	s/$end// for $out, $err;
	@$self{qw(stdout stderr)} = ('', '');
	Test::More::note $out . $err unless $self->{quiet};
	return outcome($out, $err);
}

# The result of a query that must succeed.
sub value
{
	my ($self, $sql) = @_;
	my $outcome = $self->run($sql);
	die "query failed: $outcome->{err}in: $sql" if defined $outcome->{sqlstate};
	return $outcome->{out};
}

# The outcome of a query under that statement_timeout. The server may find out about it only when the
# query is over, in the statement that takes it back.
sub run_within
{
	my ($self, $limit, $sql) = @_;
	my $outcome = $self->run("SET statement_timeout = '$limit'; $sql");
	1 while ($self->run('RESET statement_timeout')->{sqlstate} // '') eq '57014';
	return $outcome;
}

# Passes if the backend of the session is the one it started with.
sub alive
{
	my ($self, $name) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	Test::More::is(eval { $self->value('SELECT pg_backend_pid()') },
		$self->{pid}, "$name: same backend");
	return;
}

sub quit
{
	my ($self) = @_;
	$self->{timeout}->start;    # it may have been idle for longer
	$self->{stdin} .= "\\q\n";
	return $self->{psql}->finish;
}

# The end of a psql that another hand brought about.
sub ended { return eval { $_[0]->{psql}->finish } }

1;
