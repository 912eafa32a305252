require "erb"

# The tables that the gem's own generator makes, and the column that lets a site recognise an event it has already.
module Schema
  TEMPLATE = "generators/ahoy/templates/active_record_migration.rb.tt"

  # What the template asks of the generator.
  class Answers
    def migration_class_name = "CreateAhoyTables"
    def migration_version = "[6.1]"
    def properties_type = "text"
    def rails52? = true
    def primary_key_type = nil
    def foreign_key_type = nil
    def scope = binding
  end

  def self.create
    connection = ActiveRecord::Base.connection
    return if connection.table_exists?("ahoy_visits")

    file = $LOAD_PATH.map { |folder| File.join(folder, TEMPLATE) }.find { |path| File.exist?(path) }
    eval(ERB.new(File.read(file)).result(Answers.new.scope)) # rubocop:disable Security/Eval
    ActiveRecord::Migration.suppress_messages { CreateAhoyTables.new.migrate(:up) }
    # For those who read the tables beside the site.
    connection.execute("PRAGMA journal_mode = WAL")
    if ENV.fetch("AHOY_EVENT_ID", "1") == "1"
      connection.add_column :ahoy_events, :event_id, :string
      connection.add_index :ahoy_events, :event_id, unique: true
    end
    [Ahoy::Visit, Ahoy::Event].each(&:reset_column_information)
  end
end
